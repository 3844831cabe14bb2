#pragma once

#include "pair/objectives/objective.h"

namespace pair::objectives {

// ERM, empirical risk minimisation (Vapnik, "Principles of risk minimization for learning theory",
// NeurIPS 1991): the mean of the environments' risks,
//
//   1/|E| sum_e R_e.
class Erm final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] std::optional<device::MomentFunction> moment_function() const override {
    return device::MomentFunction{device::MomentFunction::Kind::mean_risk};
  }
};

}  // namespace pair::objectives

#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"

// ERM, empirical risk minimisation (Vapnik, "Principles of risk minimization for learning theory",
// NeurIPS 1991): the mean of the environments' risks,
//
//   1/|E| sum_e R_e.

namespace pair::objectives {
namespace {

class Erm final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] std::optional<device::MomentFunction> moment_function() const override {
    return device::MomentFunction{device::MomentFunction::Kind::mean_risk};
  }
};

}  // namespace

torch::Tensor Erm::value(const HeadView& view, data::Random& /*random*/) {
  return view.risks.mean();
}

ObjectiveEntry erm() {
  return objective_entry("erm", "mean of the environments' risks", [] { return std::make_unique<Erm>(); });
}

}  // namespace pair::objectives

#pragma once

#include "pair/objectives/objective.h"

namespace pair::objectives {

// SD, spectral decoupling (Pezeshki et al., "Gradient Starvation: A Learning Proclivity in Neural Networks",
// NeurIPS 2021): the mean square of the logits,
//
//   1/(n k) sum_i sum_k z_ik^2.
class Sd final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
};

}  // namespace pair::objectives

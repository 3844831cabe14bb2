#pragma once

#include "pair/objectives/objective.h"

namespace pair::objectives {

// IGA, inter-environmental gradient alignment (Koyama and Yamaguchi, "When is invariance useful in an
// Out-of-Distribution Generalization problem?", arXiv 2008.01883): the trace of the variance across
// environments of the risk's gradient in all parameters theta,
//
//   1/|E| sum_e || grad_theta R_e - mean over environments of grad_theta R ||^2
//
// (the paper's release and DomainBed sum over environments). Needs two environments and the whole network:
// the value is built from gradients of the risks, and |E| - 1 passes back through the network make it.
// Parameters that no risk depends on count as zero.
class Iga final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] bool needs_network() const override { return true; }
};

}  // namespace pair::objectives

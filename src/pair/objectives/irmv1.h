#pragma once

#include "pair/objectives/objective.h"

namespace pair::objectives {

// IRMv1 (Arjovsky et al., "Invariant Risk Minimization", arXiv 1907.02893): the squared derivative of each
// environment's risk with respect to a scalar multiplier w of its logits, at w = 1, averaged over
// environments,
//
//   1/|E| sum_e D_e^2,   D_e = d/dw R_e(w z) at w = 1 = mean over e of  sum_k dl/dz_k z_k,
//
// in closed form: no second backward pass.
//
// On a minibatch D_e^2 overestimates, for E[D^2] = E[D]^2 + Var[D]. The unbiased estimate (Arjovsky et al.,
// Appendix D; the paper's Appendix, "Loss value estimation") is the product of D over two independent
// halves of the batch,
//
//   1/|E| sum_e A_e B_e,   A_e over the samples at even, B_e at odd positions of environment e,
//
// as in DomainBed. Samples must stand in random order within their environment. The estimate may be
// negative where objectives may not; the paper's two treatments, both of the mean over environments:
//
//   scale  a negative estimate is multiplied by -C (the release's choice; the paper's "adjustment rate",
//          1 to 1e-4),
//   shift  C is added to every estimate; where even that leaves it negative, as much as brings it to 0, for
//          the paper asks for a "sufficiently large" C. The gradient is that of the estimate.
//
// A third one, keep, leaves it negative as DomainBed does: only a weighted sum can use it.
class Irmv1 final : public Objective {
 public:
  Irmv1() = default;
  // The unbiased estimate. constant: C, > 0; keep does not use it.
  Irmv1(ObjectiveOptions::Negative negative, double constant);

  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] bool takes_derivatives() const override { return !unbiased_; }
  [[nodiscard]] std::optional<device::MomentFunction> moment_function() const override;

 private:
  [[nodiscard]] torch::Tensor unbiased(const torch::Tensor& derivatives,
                                       const std::vector<std::int64_t>& sizes) const;

  bool unbiased_ = false;
  ObjectiveOptions::Negative negative_ = ObjectiveOptions::Negative::scale;
  double constant_ = 0.0;
};

}  // namespace pair::objectives

#pragma once

#include "pair/objectives/objective.h"

namespace pair::objectives {

// Fishr (Rame et al., "Fishr: Invariant Gradient Variances for Out-of-Distribution Generalization", ICML
// 2022): environments should agree on how the head's gradients spread over their samples. With g_i the
// gradient of sample i's loss in the head's weights and bias,
//
//   v_e   = mean over e of (g_i - mean g)^2, coordinate by coordinate,
//   v_e*  = gamma v_e*(previous step) + (1 - gamma) v_e,
//   value = 1/|E| sum_e || (v_e* - mean over environments of v*) / (1 - gamma) ||^2.
//
// The variance is centred and divides by n, and the moving average starts at zero, takes no gradient through
// the past and is divided by 1 - gamma, as in the authors' release: the first step's value, and every one
// with gamma = 0 (full batches need no average; the release on ColoredMNIST has none), is that of v_e. The
// norm is a sum over coordinates (their equation and ColoredMNIST code) or, with `mean`, DomainBed's mean
// over them.
//
// The head is linear, so that g_i is dl/dz_k phi_j in the weight (k, j) and dl/dz_k in the bias: its moments
// are matrix products, and no [n, k, d] is ever built. Needs two environments.
//
// Each call is one step of the average; the batches of all steps hold the same environments in one order.
class Fishr final : public Objective {
 public:
  // ema: gamma, in [0, 1).
  explicit Fishr(double ema, bool mean = false);

  torch::Tensor value(const HeadView& view, data::Random& random) override;

  [[nodiscard]] bool remembers_environments() const override { return ema_ > 0.0; }

  // The moving average, [environments, k (d + 1)]; empty before the first step.
  [[nodiscard]] std::vector<torch::Tensor> state() const override;
  void restore(std::span<const torch::Tensor> state) override;

 private:
  double ema_;
  bool mean_;
  torch::Tensor average_;
};

}  // namespace pair::objectives

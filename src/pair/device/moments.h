#pragma once

#include <torch/types.h>

#include <cstdint>

#include "pair/device/loss.h"

// The moments of each environment's loss (train/moments.h) on CUDA devices, and the gradients of functions of
// them in the logits.

namespace pair::device {

// For logits [n, k] of environments of equal size, in order: [2, environments] doubles, each environment's
// mean loss R_e, and D_e = d/dw R_e(w z) at w = 1. labels [n] are int64 classes for cross-entropy, and
// otherwise of the logits' type.
torch::Tensor moments(Loss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                      std::int64_t environments);
// The gradients in the logits, [m, n, k], of m numbers whose gradients in the R_e are by_risks and in the D_e
// by_derivatives, both [m, environments] doubles; an undefined one is 0.
torch::Tensor moment_slopes(Loss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                            const torch::Tensor& by_risks, const torch::Tensor& by_derivatives);

}  // namespace pair::device

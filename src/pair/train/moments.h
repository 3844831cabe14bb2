#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "pair/data/task_loss.h"

// A third cut of the graph (step.h), at two numbers per environment: its risk R_e, and D_e = d/dw R_e(w z) at
// w = 1, whose square is IRMv1's penalty. ERM, IRMv1, V-REx and similar objectives depend only on these, so
// the work between them and their objectives does not depend on the number of samples. The path from there to
// the logits is the same for all objectives, per sample, in closed form: one pass over the logits each way on
// a device with kernels (device/kernels.h).

namespace pair::train {

struct Moments {
  torch::Tensor risks;        // [environments], doubles
  torch::Tensor derivatives;  // likewise; undefined unless requested
};

// logits [n, k] and labels [n] as for objectives/losses.h, labels of one logit in the logits' type.
Moments moments_of(data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                   const std::vector<std::int64_t>& sizes, bool derivatives);

// The gradients in the logits, [m, n, k], of m numbers from their gradients in the moments, [m, environments]
// doubles; by_derivatives may be undefined.
torch::Tensor through_moments(data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                              const std::vector<std::int64_t>& sizes, const torch::Tensor& by_risks,
                              const torch::Tensor& by_derivatives);

}  // namespace pair::train

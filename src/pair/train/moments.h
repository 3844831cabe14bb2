#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "pair/data/task_loss.h"

// A third cut of the graph (step.h), at two numbers of each environment: its risk R_e, and D_e = d/dw R_e(w
// z) at w = 1, whose square is IRMv1's penalty. ERM, IRMv1, V-REx and their like are functions of these
// alone, so that what lies between them and their objectives is of as many numbers as there are environments,
// whatever the number of samples; and the way from there to the logits is the same for all objectives, sample
// by sample, in closed form. One pass over the logits each way on a device with kernels (device/kernels.h).

namespace pair::train {

struct Moments {
  torch::Tensor risks;        // [environments], doubles
  torch::Tensor derivatives;  // likewise; undefined where they were not asked for
};

// logits [n, k] and labels [n] as objectives/losses.h takes them, labels of one logit in the logits' type.
Moments moments_of(data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                   const std::vector<std::int64_t>& sizes, bool derivatives);

// The gradients in the logits, [m, n, k], of m numbers from their gradients in the moments, [m, environments]
// doubles; by_derivatives may be undefined.
torch::Tensor through_moments(data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                              const std::vector<std::int64_t>& sizes, const torch::Tensor& by_risks,
                              const torch::Tensor& by_derivatives);

}  // namespace pair::train

#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "pair/data/task_loss.h"

// The task's loss l(z, y) of logits z and label y per sample, and means over environments.
//
//   bce  log(1 + exp(z)) - y z    one logit,  y in {0, 1}        dl/dz   = sigmoid(z) - y
//   ce   logsumexp(z) - z_y       k logits,   y in {0 .. k-1}    dl/dz_j = softmax(z)_j - [j = y]
//   mse  (z - y)^2                one output, y real             dl/dz   = 2 (z - y)
//
// All are computed without overflow for logits of any size, and no function here waits for the device.

namespace pair::objectives {

// l(z_i, y_i) of each sample: logits [n, k], labels [n] -> [n]. Differentiable in logits.
torch::Tensor per_sample_loss(data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels);

// dl/dz of each sample in closed form: [n, k] -> [n, k]. Differentiable in logits, so that gradient penalties
// need no second backward pass.
torch::Tensor logit_gradient(data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels);

// The derivative of l(w z) in w at w = 1, sum_k dl/dz_k z_k, has this gradient in z: [n, k] -> [n, k].
torch::Tensor scale_derivative_gradient(data::TaskLoss loss, const torch::Tensor& logits,
                                        const torch::Tensor& labels);

// The mean over the rows of each environment: [n, ...] -> [environments, ...], in doubles, because
// comparisons of environments depend on small differences. One reduction if all environments have the same
// size, otherwise one per environment.
torch::Tensor environment_means(const torch::Tensor& rows, const std::vector<std::int64_t>& sizes);

// Each environment's risk R_e = mean of l over its samples: [environments].
torch::Tensor risks_of(data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                       const std::vector<std::int64_t>& sizes);

// Whether all environments have the same number of samples.
bool equal_sizes(const std::vector<std::int64_t>& sizes);

// 0, with zero gradients in `numbers`.
torch::Tensor zero_of(const torch::Tensor& numbers);

// For objectives that compare samples within an environment: throws std::invalid_argument that names the
// objective if an environment of the batch has fewer samples.
void require_samples(std::string_view objective, const std::vector<std::int64_t>& sizes, std::int64_t fewest);

}  // namespace pair::objectives

#pragma once

#include <torch/types.h>

#include <cstdint>

// The masks of models/dropout.h on CUDA devices, in the pass that uses them.
//
// LibTorch has only the parts: a mask as a function of counters takes some twenty passes over integers of 64
// bits, and is stored for the backward pass. Here, both passes compute it from the counters. The kernels keep
// the same numbers as the operations of models/dropout.cpp; tests compare the two.

namespace pair::device {

// Which numbers of [n, ...] are kept, as a function of counters. Rows of the batch have as many random words
// each as they have numbers or, if there are more than two dimensions, one word for four numbers.
struct DropoutMask {
  double share;       // of the numbers that become 0; (0, 1). The others are divided by 1 - share
  torch::Tensor key;  // [], int64, on the device; read by the kernel, so a recorded step sees its changes
  std::int64_t offset = 0;  // added to the key: the first counter
  torch::Tensor places;     // of the rows in the batch, [n], int64, on the device; undefined: 0 to n - 1
};

// Whether the functions below support these numbers: of 32 or 16 bits on a CUDA device, in a build with CUDA.
bool takes_dropout(const torch::Tensor& numbers);

// Likewise for attention_weights: s is at most 1024, and heads times t at most 524,280.
bool takes_attention_weights(const torch::Tensor& scores);

// The numbers [n, ...] with the mask applied. Also its own backward pass, from gradient to gradient.
torch::Tensor dropped(const torch::Tensor& numbers, const DropoutMask& mask);

// Attention's weights: softmax(scores + bias) over the last dimension, without and with the mask. scores: [n,
// heads, t, s]; bias: [n, 1, 1, s]. The results are computed in 32 bits and have the scores' type.
struct AttentionWeights {
  torch::Tensor weights;
  torch::Tensor dropped;
};
AttentionWeights attention_weights(const torch::Tensor& scores, const torch::Tensor& bias,
                                   const DropoutMask& mask);

// The gradient in the scores, from that in the dropped weights.
torch::Tensor attention_weights_backward(const torch::Tensor& gradient, const torch::Tensor& weights,
                                         const DropoutMask& mask);

}  // namespace pair::device

#pragma once

#include <torch/types.h>

#include <cstdint>

// Group normalisation of a convolution's output after bias and ReLU, on CUDA devices, in one pass per
// direction.

namespace pair::device {

// group_norm(relu(x + bias)) gamma + beta of images [n, c, h, w], channels last in memory, or, if pooled, its
// mean over the pixels [n, c]. x may also have 16 bits; then so does the result unless it is pooled, and, in
// the backward pass, the gradients of x and, unless pooled, of the result. Includes the statistics for the
// backward pass.
struct Normed {
  torch::Tensor result;
  torch::Tensor statistics;
};
Normed relu_group_norm(const torch::Tensor& x, const torch::Tensor& bias, std::int64_t groups,
                       const torch::Tensor& gamma, const torch::Tensor& beta, double epsilon, bool pooled);
struct NormGradients {
  torch::Tensor x;
  torch::Tensor bias;
  torch::Tensor gamma;
  torch::Tensor beta;
};
NormGradients relu_group_norm_backward(const torch::Tensor& gradient, const torch::Tensor& x,
                                       const torch::Tensor& bias, std::int64_t groups,
                                       const torch::Tensor& gamma, const torch::Tensor& statistics,
                                       bool pooled);
// Whether it supports this many channels in this many groups: a multiple of 32, in groups of 4, 8, 16 or 32.
bool takes_group_norm(std::int64_t channels, std::int64_t groups);

}  // namespace pair::device

#pragma once

#include <torch/types.h>

#include <cstdint>

// Operations written for CUDA devices, where LibTorch has them only in pieces and a small network's time is
// the pieces' launches and their passes through memory. Each does, in one pass, what its callers otherwise
// say in LibTorch's operations; tests hold the two against each other.

namespace pair::device {

// Whether the kernels below take these numbers: 32-bit ones on a CUDA device, in a build with CUDA. They read
// four at a time, so tensors begin at multiples of 16 bytes, as allocations and rows of a multiple of 4 do.
bool has_kernels(const torch::Tensor& numbers);

// train/update.h's step. All tensors are changed in place but gradient, losses and lr.
struct UpdateState {
  torch::Tensor parameters;
  torch::Tensor last_good;
  torch::Tensor first;
  torch::Tensor second;  // undefined for SGD
  torch::Tensor decays;  // undefined for SGD
  torch::Tensor tally;
};
void update(UpdateState& state, const torch::Tensor& gradient, const torch::Tensor& losses,
            const torch::Tensor& lr, double momentum, bool restart, std::int64_t patience);

// The gradient [n, d] where output is above 0 and else 0, and its sum over the rows [d]; d a multiple of 4.
struct ReluGradient {
  torch::Tensor gradient;
  torch::Tensor sum;
};
ReluGradient relu_backward(const torch::Tensor& gradient, const torch::Tensor& output);

// column [n, 1] times row [1, d], d a multiple of 4.
torch::Tensor outer(const torch::Tensor& column, const torch::Tensor& row);

// group_norm(relu(x + bias)) gamma + beta of images [n, c, h, w], channels last in memory, or, pooled, its
// mean over the pixels [n, c]. x may also be of 16 bits; then so is the result unless it is pooled. With it
// the statistics that the way back needs.
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
// Whether it takes so many channels in so many groups: a multiple of 32, in groups of 4, 8, 16 or 32.
bool takes_group_norm(std::int64_t channels, std::int64_t groups);

}  // namespace pair::device

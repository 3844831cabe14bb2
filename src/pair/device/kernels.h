#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "pair/device/loss.h"

// Fused operations for CUDA devices. LibTorch has only their parts, and the time of a small network is
// dominated by launches and passes through memory. Each kernel does in one pass what its callers otherwise do
// with LibTorch's operations; tests compare the two.

namespace pair::device {

// Whether the kernels below support these numbers: 32-bit ones on a CUDA device, in a build with CUDA. They
// read four at a time, so tensors must begin at multiples of 16 bytes, as allocations and rows of a multiple
// of 4 do.
bool has_kernels(const torch::Tensor& numbers);

// The step of train/update.h. All tensors except gradient, losses and lr are changed in place.
struct UpdateState {
  torch::Tensor parameters;
  torch::Tensor last_good;
  torch::Tensor first;
  torch::Tensor second;  // undefined for SGD
  torch::Tensor decays;  // undefined for SGD
  torch::Tensor tally;
  torch::Tensor workspace;  // [update_workspace] doubles, zeros before the first step
};
inline constexpr std::int64_t update_workspace = 259;
void update(UpdateState& state, const torch::Tensor& gradient, const torch::Tensor& losses,
            const torch::Tensor& lr, double momentum, bool restart, std::int64_t patience);

// The gradient [n, d] where output is above 0 and 0 elsewhere, and its sum over the rows [d]; d is a multiple
// of 4.
struct ReluGradient {
  torch::Tensor gradient;
  torch::Tensor sum;
};
ReluGradient relu_backward(const torch::Tensor& gradient, const torch::Tensor& output);

// column [n, 1] times row [1, d], d a multiple of 4.
torch::Tensor outer(const torch::Tensor& column, const torch::Tensor& row);

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

// The windows of a convolution over images [n, c, h, w], of 32 or 16 bits, as rows [n h' w', columns] of c
// side side numbers, padded with zeros; columns is a multiple of 4, at most 256.
torch::Tensor windows(const torch::Tensor& images, std::int64_t side, std::int64_t stride,
                      std::int64_t padding, std::int64_t columns);

// A convolution of images with one or two channels, with the following operations, in one pass: x, its sums
// without the bias, and group_norm(relu(x + bias)) gamma + beta with the statistics for the backward pass.
// images [n, c, h, w], x and the result have 16 bits; x and the result have channels last. The weight is
// rounded to 16 bits; sums have 32. x and statistics are undefined unless requested.
struct FirstLayer {
  torch::Tensor result;
  torch::Tensor x;
  torch::Tensor statistics;
};
FirstLayer first_layer(const torch::Tensor& images, const torch::Tensor& weight, const torch::Tensor& bias,
                       const torch::Tensor& gamma, const torch::Tensor& beta, double epsilon,
                       bool for_the_way_back);
// Whether it supports these: 3 x 3 windows, stride 1, padding 1, into 64 channels in 8 groups.
bool takes_first_layer(const torch::Tensor& images, const torch::Tensor& weight, std::int64_t stride,
                       std::int64_t padding, std::int64_t groups);

// For logits [n, k] of environments of equal size, in order: [2, environments] doubles, each environment's
// mean loss R_e, and D_e = d/dw R_e(w z) at w = 1. labels [n] are int64 classes for cross-entropy, and
// otherwise of the logits' type.
torch::Tensor moments(Loss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                      std::int64_t environments);
// The gradients in the logits, [m, n, k], of m numbers whose gradients in the R_e are by_risks and in the D_e
// by_derivatives, both [m, environments] doubles; an undefined one is 0.
torch::Tensor moment_slopes(Loss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                            const torch::Tensor& by_risks, const torch::Tensor& by_derivatives);

// The numbers times a power of two that brings their largest magnitude into [1, 2] (if it is between 2^-100
// and 2^100), and the inverse of that factor as a scalar; 1 for zeros and numbers that are not finite. A
// weight's gradient is the sum over a batch's pixels, some ten thousand, and overflows at 65504 in 16 bits; a
// single pixel's underflows below 2^-24.
struct Scaled {
  torch::Tensor numbers;
  torch::Tensor factor;
};
Scaled scale_for_half(const torch::Tensor& numbers);

// The numbers of tensors of 32 or 16 bits, each [count], concatenated in the given type. Scaled ones are
// clamped to 65504, the largest number of 16 bits, if infinite, and multiplied by factor.
struct Part {
  torch::Tensor numbers;
  bool scaled = false;
};
inline constexpr std::size_t most_parts = 64;
torch::Tensor gathered(std::span<const Part> parts, torch::ScalarType type, const torch::Tensor& factor = {});

// numbers.index_select(0, rows) in 16 bits.
torch::Tensor rows_in_half(const torch::Tensor& numbers, const torch::Tensor& rows);

}  // namespace pair::device

#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "pair/device/loss.h"

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
  torch::Tensor room;  // [update_room] doubles to work in, zeros before the first step
};
inline constexpr std::int64_t update_room = 259;
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
// mean over the pixels [n, c]. x may also be of 16 bits; then so is the result unless it is pooled, and so
// are on the way back the gradients of x and, unless it is pooled, of the result. With it the statistics that
// the way back needs.
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

// Of images [n, c, h, w], of 32 or 16 bits, the windows that a convolution lays over them, as rows
// [n h' w', columns] of c side side numbers and zeros; columns a multiple of 4, at most 256.
torch::Tensor windows(const torch::Tensor& images, std::int64_t side, std::int64_t stride,
                      std::int64_t padding, std::int64_t columns);

// A convolution of images that have one or two channels, with what follows it, in one pass: x, its sums
// without the bias, and group_norm(relu(x + bias)) gamma + beta with the statistics that the way back needs.
// images [n, c, h, w] are of 16 bits and so are x and the result, with their channels last; the weight is
// rounded to 16 bits and sums are of 32. x and statistics are left undefined unless asked for.
struct FirstLayer {
  torch::Tensor result;
  torch::Tensor x;
  torch::Tensor statistics;
};
FirstLayer first_layer(const torch::Tensor& images, const torch::Tensor& weight, const torch::Tensor& bias,
                       const torch::Tensor& gamma, const torch::Tensor& beta, double epsilon,
                       bool for_the_way_back);
// Whether it takes these: 3 x 3 windows, one apart, with a zero around, into 64 channels in 8 groups.
bool takes_first_layer(const torch::Tensor& images, const torch::Tensor& weight, std::int64_t stride,
                       std::int64_t padding, std::int64_t groups);

// Of logits [n, k] of environments of equal size, one after another, [2, environments] in doubles: each
// environment's mean loss R_e, and D_e = d/dw R_e(w z) at w = 1. labels [n] are int64 classes for
// cross-entropy, and of the logits' type else.
torch::Tensor moments(Loss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                      std::int64_t environments);
// The gradients in the logits, [m, n, k], of m numbers whose gradients in the R_e are by_risks and in the D_e
// by_derivatives, both [m, environments] in doubles; an undefined one is 0.
torch::Tensor moment_slopes(Loss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                            const torch::Tensor& by_risks, const torch::Tensor& by_derivatives);

// The numbers times a power of two by which their largest magnitude comes to lie in [1, 2] (where it is not
// below 2^-100 or above 2^100), and, a scalar, one over it; 1 for zeros and what is not finite. A weight's
// gradient is the sum over a batch's pixels, some ten thousand, and ends at 65504 in 16 bits; a single
// pixel's may fall to 2^-24 before it vanishes.
struct Scaled {
  torch::Tensor numbers;
  torch::Tensor factor;
};
Scaled scale_for_half(const torch::Tensor& numbers);

// The numbers of tensors of 32 or 16 bits, each [count], one after another in the given type of the two.
// Those of scaled ones are multiplied by factor, and before that held at 65504, the last number of 16 bits,
// where they are infinite.
struct Part {
  torch::Tensor numbers;
  bool scaled = false;
};
inline constexpr std::size_t most_parts = 64;
torch::Tensor gathered(std::span<const Part> parts, torch::ScalarType type, const torch::Tensor& factor = {});

// numbers.index_select(0, rows) in 16 bits.
torch::Tensor rows_in_half(const torch::Tensor& numbers, const torch::Tensor& rows);

}  // namespace pair::device

#pragma once

#include <torch/types.h>

#include <cstddef>
#include <span>

// Conversions between 32 and 16 bits on CUDA devices: scaling gradients into the range of 16 bits, collecting
// tensors, taking rows.

namespace pair::device {

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

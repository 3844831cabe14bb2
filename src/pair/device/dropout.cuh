#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

// The kernel launches of dropout.h (see kernels.h). Number is float, __half or __nv_bfloat16.

namespace pair::device::cuda {

struct Mask {
  const std::int64_t* key;
  std::int64_t offset;
  const std::int64_t* places;  // null: a row's place is its number
  std::int64_t words;          // per row of the batch
  bool four_per_word;          // 16 bits for each number instead of 31
  std::int64_t least;          // value of a kept number's bits: signed if 16, otherwise unsigned
  float factor;                // of the numbers that are kept
};

// numbers: per row.
template <class Number>
void drop(const Number* from, Number* to, std::int64_t rows, std::int64_t numbers, const Mask& mask,
          cudaStream_t stream);

// Rows [samples, rows_per_sample, columns], columns at most 1024; bias [samples, columns].
struct Weights {
  std::int64_t samples;
  int rows_per_sample;  // at most 524,280, by the limits of a grid
  int columns;
};
template <class Number>
void attention_weights(const Weights& shape, const Number* scores, const float* bias, const Mask& mask,
                       Number* weights, Number* dropped, cudaStream_t stream);
template <class Number>
void attention_weights_backward(const Weights& shape, const Number* gradient, const Number* weights,
                                const Mask& mask, Number* result, cudaStream_t stream);

}  // namespace pair::device::cuda

#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

// The kernel launches of half.h (see kernels.h).

namespace pair::device::cuda {

// scaled: the numbers times the power of two that brings the largest magnitude into [1, 2]; factor: its
// inverse. 1 if that magnitude is 0 or not finite.
void scale_for_half(const float* numbers, std::int64_t count, float* scaled, float* factor,
                    cudaStream_t stream);

// The numbers of several tensors, concatenated. Those of a scaled one are clamped to the range of 16 bits and
// multiplied by factor.
inline constexpr int most_parts = 64;
struct Parts {
  struct Part {
    const void* numbers;
    std::int64_t count;
    std::int64_t start;  // offset in the result
    int first_block;     // set by gather
    bool half;           // 16-bit numbers
    bool scaled;
  };
  Part all[most_parts];
  int count;
};
template <class Number>  // float or __half
void gather(Parts parts, const float* factor, Number* to, cudaStream_t stream);

// The given rows, of row_size numbers each.
void rows_in_half(const float* numbers, std::int64_t row_size, const std::int64_t* rows, std::int64_t count,
                  __half* to, cudaStream_t stream);

}  // namespace pair::device::cuda

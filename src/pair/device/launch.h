#pragma once

#include <c10/cuda/CUDAException.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <torch/types.h>

#include <cstdint>
#include <stdexcept>

#include "pair/device/column_sums.cuh"
#include "pair/device/stream.h"

// Common parts of the functions that launch kernels on tensors.

namespace pair::device {

inline torch::Tensor channels_last(const torch::Tensor& images) {
  return images.contiguous(at::MemoryFormat::ChannelsLast);
}

// Numbers that begin at a multiple of 16 bytes, because kernels read four at a time; a copy of those that do not.
inline torch::Tensor aligned(const torch::Tensor& numbers) {
  return reinterpret_cast<std::uintptr_t>(numbers.data_ptr()) % 16 == 0 ? numbers : numbers.clone();
}

// Whether there are kernels for a type of numbers: float, __half or __nv_bfloat16.
inline bool is_kernels_type(torch::ScalarType type) {
  return type == torch::kFloat || type == torch::kHalf || type == torch::kBFloat16;
}

// Calls launch, a template, with a null pointer of that type, and checks that its kernels were launched.
template <class Launch>
void with_kernels_type(torch::ScalarType type, const Launch& launch) {
  if (type == torch::kFloat) {
    launch(static_cast<float*>(nullptr));
  } else if (type == torch::kHalf) {
    launch(static_cast<__half*>(nullptr));
  } else if (type == torch::kBFloat16) {
    launch(static_cast<__nv_bfloat16*>(nullptr));
  } else {
    throw std::logic_error("kernels: expected numbers of 32 or 16 bits; check is_kernels_type first");
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

// The sums over the rows of [n, ...].
inline torch::Tensor column_sums(const torch::Tensor& rows) {
  const torch::Tensor sums = torch::empty(rows.sizes().slice(1), rows.options());
  cuda::column_sums(rows.data_ptr<float>(), sums.data_ptr<float>(), rows.size(0),
                    static_cast<int>(sums.numel()), stream_of(rows));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return sums;
}

// Null for an undefined tensor.
template <class Number>
Number* pointer_to(const torch::Tensor& numbers) {
  return numbers.defined() ? static_cast<Number*>(numbers.data_ptr()) : nullptr;
}

}  // namespace pair::device

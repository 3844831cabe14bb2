#pragma once

#include <torch/types.h>

// Fused operations for CUDA devices. LibTorch has only their parts, and the time of a small network is
// dominated by launches and passes through memory. Each kernel does in one pass what its callers otherwise do
// with LibTorch's operations; tests compare the two.
//
// NAME.h declares an operation on tensors, and NAME.cuh its kernel launches, without torch's headers, which
// nvcc would have to parse. There, all pointers are device pointers, and every sum has a fixed order, so that
// the same input gives the same bits.

namespace pair::device {

// Whether the kernels of update.h, perceptron.h, group_norm.h, convolution.h, moments.h and half.h support
// these numbers: 32-bit ones on a CUDA device, in a build with CUDA. They read four at a time, so tensors must
// begin at multiples of 16 bytes, as allocations and rows of a multiple of 4 do.
bool has_kernels(const torch::Tensor& numbers);

}  // namespace pair::device

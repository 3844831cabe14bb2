#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

// The sums over the rows of a matrix, in a fixed order: the last pass of kernels whose blocks write partial sums.

namespace pair::device::cuda {

// The sums over the rows of [count, columns].
void column_sums(const float* rows, float* sums, std::int64_t count, int columns, cudaStream_t stream);

}  // namespace pair::device::cuda

#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

// The kernel launches of perceptron.h (see kernels.h).

namespace pair::device::cuda {

// Rows of a multiple of four numbers: g = gradient if output > 0, otherwise 0; partials [blocks, columns]
// hold the sums of g over each block's rows.
inline constexpr int relu_rows_per_block = 128;
void relu_backward(const float* gradient, const float* output, float* g, float* partials, std::int64_t rows,
                   int columns, cudaStream_t stream);

// column [rows, 1] times row [1, columns], columns a multiple of 4.
void outer(const float* column, const float* row, float* result, std::int64_t rows, int columns,
           cudaStream_t stream);

}  // namespace pair::device::cuda

#include "pair/device/block_sum.cuh"
#include "pair/device/perceptron.cuh"

// The backward pass of a perceptron, apart from its matrix products.

namespace pair::device::cuda {
namespace {

constexpr int lanes = 4;                // rows that a block processes in parallel
constexpr int quads = threads / lanes;  // groups of four columns, likewise

// Grid: one block per relu_rows_per_block rows; its threads are `lanes` rows by `quads` groups of four
// columns.
__global__ void relu_back(const float4* gradient, const float4* output, float4* g, float4* partials,
                          std::int64_t rows, int columns) {
  __shared__ float4 sums[lanes][quads];
  const int quad = static_cast<int>(threadIdx.x) % quads;
  const int lane = static_cast<int>(threadIdx.x) / quads;
  // The last rows first: they were written last, and are still in the cache.
  const std::int64_t first = static_cast<std::int64_t>(gridDim.x - 1 - blockIdx.x) * relu_rows_per_block;
  const std::int64_t end = min(first + relu_rows_per_block, rows);
  for (int column = quad; column - quad < columns; column += quads) {
    float4 sum = {0.0F, 0.0F, 0.0F, 0.0F};
    if (column < columns) {
      for (std::int64_t row = first + lane; row < end; row += lanes) {
        const std::int64_t at = row * columns + column;
        float4 value = gradient[at];
        const float4 out = output[at];
        value.x = out.x > 0.0F ? value.x : 0.0F;
        value.y = out.y > 0.0F ? value.y : 0.0F;
        value.z = out.z > 0.0F ? value.z : 0.0F;
        value.w = out.w > 0.0F ? value.w : 0.0F;
        g[at] = value;
        sum.x += value.x;
        sum.y += value.y;
        sum.z += value.z;
        sum.w += value.w;
      }
    }
    sums[lane][quad] = sum;
    __syncthreads();
    if (lane == 0 && column < columns) {
      for (int other = 1; other < lanes; ++other) {
        sum.x += sums[other][quad].x;
        sum.y += sums[other][quad].y;
        sum.z += sums[other][quad].z;
        sum.w += sums[other][quad].w;
      }
      partials[static_cast<std::int64_t>(blockIdx.x) * columns + column] = sum;
    }
    __syncthreads();
  }
}

// Grid: four numbers of the result per thread.
__global__ void multiply_out(const float* column, const float4* row, float4* result, std::int64_t count,
                             int quads) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < count) {
    const float factor = column[i / quads];
    const float4 value = row[i % quads];
    result[i] = {factor * value.x, factor * value.y, factor * value.z, factor * value.w};
  }
}

}  // namespace

void relu_backward(const float* gradient, const float* output, float* g, float* partials, std::int64_t rows,
                   int columns, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((rows + relu_rows_per_block - 1) / relu_rows_per_block);
  relu_back<<<blocks, threads, 0, stream>>>(
      reinterpret_cast<const float4*>(gradient), reinterpret_cast<const float4*>(output),
      reinterpret_cast<float4*>(g), reinterpret_cast<float4*>(partials), rows, columns / 4);
}

void outer(const float* column, const float* row, float* result, std::int64_t rows, int columns,
           cudaStream_t stream) {
  const std::int64_t count = rows * (columns / 4);
  multiply_out<<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, stream>>>(
      column, reinterpret_cast<const float4*>(row), reinterpret_cast<float4*>(result), count, columns / 4);
}

}  // namespace pair::device::cuda

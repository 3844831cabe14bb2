#include "pair/device/column_sums.cuh"

namespace pair::device::cuda {
namespace {

constexpr int sum_columns = 32;
constexpr int sum_rows = 16;

// Grid: one block per sum_columns columns; its sum_rows rows of threads share the rows.
__global__ void add_rows(const float* rows, float* sums, std::int64_t count, int columns) {
  __shared__ float parts[sum_rows][sum_columns];
  const int column = static_cast<int>(blockIdx.x) * sum_columns + static_cast<int>(threadIdx.x);
  float sum = 0.0F;
  if (column < columns) {
    for (std::int64_t row = threadIdx.y; row < count; row += sum_rows) {
      sum += rows[row * columns + column];
    }
  }
  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && column < columns) {
    for (int other = 1; other < sum_rows; ++other) {
      sum += parts[other][threadIdx.x];
    }
    sums[column] = sum;
  }
}

}  // namespace

void column_sums(const float* rows, float* sums, std::int64_t count, int columns, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((columns + sum_columns - 1) / sum_columns);
  add_rows<<<blocks, dim3(sum_columns, sum_rows), 0, stream>>>(rows, sums, count, columns);
}

}  // namespace pair::device::cuda

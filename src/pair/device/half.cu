#include "pair/device/block_sum.cuh"
#include "pair/device/half.cuh"

// Conversions between 32 and 16 bits: scaling gradients into range, collecting tensors, taking rows.

namespace pair::device::cuda {
namespace {

constexpr int row_blocks = 4;  // per row
constexpr int scale_threads = 1024;

// Grid: one block of scale_threads threads.
__global__ void scale_all(const float* numbers, std::int64_t count, float* scaled, float* factor) {
  __shared__ float largest[scale_threads];
  __shared__ float scale;
  float mine = 0.0F;
  for (std::int64_t i = threadIdx.x; i < count; i += scale_threads) {
    const float size = fabsf(numbers[i]);
    mine = size > mine || isnan(size) ? size : mine;
  }
  largest[threadIdx.x] = mine;
  for (int half = scale_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) {
      const float other = largest[threadIdx.x + half];
      if (other > largest[threadIdx.x] || isnan(other)) {
        largest[threadIdx.x] = other;
      }
    }
  }
  if (threadIdx.x == 0) {
    int exponent = 1;
    if (largest[0] > 0.0F && isfinite(largest[0])) {
      frexpf(largest[0], &exponent);  // largest = f 2^exponent, f in [1/2, 1)
    }
    // Keeps both the scale and its inverse within the range of floats.
    const int places = max(min(1 - exponent, 100), -100);
    scale = ldexpf(1.0F, places);
    *factor = ldexpf(1.0F, -places);
  }
  __syncthreads();
  for (std::int64_t i = threadIdx.x; i < count; i += scale_threads) {
    scaled[i] = numbers[i] * scale;
  }
}

constexpr int numbers_per_thread = 4;
constexpr int numbers_per_block = numbers_per_thread * threads;

// Grid: blocks of numbers_per_block numbers, the blocks of one part after those of another.
template <class Number>
__global__ void gather_parts(const __grid_constant__ Parts parts, const float* factor, Number* to) {
  int which = 0;
  while (which + 1 < parts.count && static_cast<int>(blockIdx.x) >= parts.all[which + 1].first_block) {
    ++which;
  }
  const Parts::Part& part = parts.all[which];
  const std::int64_t first =
      static_cast<std::int64_t>(static_cast<int>(blockIdx.x) - part.first_block) * numbers_per_block +
      threadIdx.x;
  const float by = part.scaled ? *factor : 1.0F;
#pragma unroll
  for (int k = 0; k < numbers_per_thread; ++k) {
    const std::int64_t i = first + k * threads;
    if (i < part.count) {
      float v = part.half ? __half2float(static_cast<const __half*>(part.numbers)[i])
                          : static_cast<const float*>(part.numbers)[i];
      if (part.scaled) {
        v = (isinf(v) ? copysignf(65504.0F, v) : v) * by;
      }
      to[part.start + i] = static_cast<Number>(v);
    }
  }
}

// Grid: rows by row_blocks blocks of `threads`.
__global__ void take_rows_in_half(const float* numbers, std::int64_t row_size, const std::int64_t* rows,
                                  __half* to) {
  const float* const from = numbers + rows[blockIdx.x] * row_size;
  __half* const row = to + static_cast<std::int64_t>(blockIdx.x) * row_size;
  for (std::int64_t i = blockIdx.y * threads + threadIdx.x; i < row_size; i += gridDim.y * threads) {
    row[i] = __float2half(from[i]);
  }
}

}  // namespace

void scale_for_half(const float* numbers, std::int64_t count, float* scaled, float* factor,
                    cudaStream_t stream) {
  scale_all<<<1, scale_threads, 0, stream>>>(numbers, count, scaled, factor);
}

template <class Number>
void gather(Parts parts, const float* factor, Number* to, cudaStream_t stream) {
  int blocks = 0;
  for (int i = 0; i < parts.count; ++i) {
    parts.all[i].first_block = blocks;
    blocks += static_cast<int>((parts.all[i].count + numbers_per_block - 1) / numbers_per_block);
  }
  gather_parts<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(parts, factor, to);
}
template void gather<float>(Parts, const float*, float*, cudaStream_t);
template void gather<__half>(Parts, const float*, __half*, cudaStream_t);

void rows_in_half(const float* numbers, std::int64_t row_size, const std::int64_t* rows, std::int64_t count,
                  __half* to, cudaStream_t stream) {
  take_rows_in_half<<<dim3(static_cast<unsigned>(count), row_blocks), threads, 0, stream>>>(numbers, row_size,
                                                                                            rows, to);
}

}  // namespace pair::device::cuda

#pragma once

#include <cuda_runtime_api.h>

// Sums over the threads of a block, in a fixed order, for the kernels of this folder.

namespace pair::device::cuda {

// Threads per block of kernels that handle one number per thread.
inline constexpr int threads = 256;
inline constexpr int warp_size = 32;

// Two sums at the same time: g . g and g . v of an update, or losses and their derivatives.
struct Totals {
  double first;
  double second;
};

// The block's sums of both numbers, for all its threads.
inline __device__ Totals block_sum(Totals mine) {
  constexpr int warps = threads / warp_size;
  __shared__ Totals parts[warps];
  for (int apart = warp_size / 2; apart > 0; apart /= 2) {
    mine.first += __shfl_down_sync(0xffffffffU, mine.first, apart);
    mine.second += __shfl_down_sync(0xffffffffU, mine.second, apart);
  }
  __syncthreads();  // other threads may still read the previous sums
  if (threadIdx.x % warp_size == 0) {
    parts[threadIdx.x / warp_size] = mine;
  }
  __syncthreads();
  Totals all = parts[0];
  for (int w = 1; w < warps; ++w) {
    all.first += parts[w].first;
    all.second += parts[w].second;
  }
  return all;
}

}  // namespace pair::device::cuda

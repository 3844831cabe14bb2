#pragma once

#include <type_traits>

#include "pair/device/block_sum.cuh"
#include "pair/device/head.cuh"

// Common parts of the kernels at the head: head_moments.cu, head_gram.cu and head_back.cu.

namespace pair::device::cuda {

inline constexpr int lanes = warp_size;
inline constexpr int warps = threads / lanes;

inline __device__ void add(float4& sum, float by, const float4& v) {
  sum.x += by * v.x;
  sum.y += by * v.y;
  sum.z += by * v.z;
  sum.w += by * v.w;
}

inline __device__ double warp_sum(double mine) {
  for (int apart = lanes / 2; apart > 0; apart /= 2) {
    mine += __shfl_down_sync(0xffffffffU, mine, apart);
  }
  return mine;
}

// The number of samples of an environment that a moment averages.
inline __device__ double samples_of(const Head& head, int part) {
  const std::int64_t rows = head.rows / head.environments;
  return static_cast<double>(part == 0 || head.parts == 2 ? rows : part == 1 ? (rows + 1) / 2 : rows / 2);
}

// Calls run(outputs, vectors) with the numbers as constants.
template <class Run>
void for_shape(const Head& head, const Run& run) {
  constexpr int vector = lanes * 4;
  using std::integral_constant;
  if (head.outputs == 1 && head.width <= vector) {
    run(integral_constant<int, 1>{}, integral_constant<int, 1>{});
  } else if (head.outputs == 1 && head.width <= 2 * vector) {
    run(integral_constant<int, 1>{}, integral_constant<int, 2>{});
  } else if (head.outputs == 1) {
    run(integral_constant<int, 1>{}, integral_constant<int, 4>{});
  } else if (head.outputs == 2 && head.width <= vector) {
    run(integral_constant<int, 2>{}, integral_constant<int, 1>{});
  } else if (head.outputs == 2) {
    run(integral_constant<int, 2>{}, integral_constant<int, 2>{});
  } else {
    run(integral_constant<int, 10>{}, integral_constant<int, 1>{});
  }
}

}  // namespace pair::device::cuda

#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

// Four adjacent numbers, in 32 or 16 bits, read and written by one memory access.

namespace pair::device::cuda {

// Computed with in 32 bits.
struct Four {
  float at[4];
};

inline __device__ Four load(const float* from) {
  const float4 v = *reinterpret_cast<const float4*>(from);
  return {{v.x, v.y, v.z, v.w}};
}
inline __device__ Four load(const __half* from) {
  const __half2* pairs = reinterpret_cast<const __half2*>(from);
  const float2 a = __half22float2(pairs[0]);
  const float2 b = __half22float2(pairs[1]);
  return {{a.x, a.y, b.x, b.y}};
}
inline __device__ Four load(const __nv_bfloat16* from) {
  const __nv_bfloat162* pairs = reinterpret_cast<const __nv_bfloat162*>(from);
  const float2 a = __bfloat1622float2(pairs[0]);
  const float2 b = __bfloat1622float2(pairs[1]);
  return {{a.x, a.y, b.x, b.y}};
}
inline __device__ void store(float* to, const Four& v) {
  *reinterpret_cast<float4*>(to) = {v.at[0], v.at[1], v.at[2], v.at[3]};
}
inline __device__ void store(__half* to, const Four& v) {
  __half2* pairs = reinterpret_cast<__half2*>(to);
  pairs[0] = __floats2half2_rn(v.at[0], v.at[1]);
  pairs[1] = __floats2half2_rn(v.at[2], v.at[3]);
}
inline __device__ void store(__nv_bfloat16* to, const Four& v) {
  __nv_bfloat162* pairs = reinterpret_cast<__nv_bfloat162*>(to);
  pairs[0] = __floats2bfloat162_rn(v.at[0], v.at[1]);
  pairs[1] = __floats2bfloat162_rn(v.at[2], v.at[3]);
}

inline __device__ float held(float v, const float* /*in*/) {
  return v;
}
// Clamped to the range of 16 bits: an infinity would ruin the gradient of the whole step.
inline __device__ float held(float v, const __half* /*in*/) {
  return isnan(v) ? v : fminf(fmaxf(v, -65504.0F), 65504.0F);
}
template <class Number>
__device__ Four held(Four v, const Number* in) {
  for (float& number : v.at) {
    number = held(number, in);
  }
  return v;
}

}  // namespace pair::device::cuda

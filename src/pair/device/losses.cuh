#pragma once

#include <cstdint>

#include "pair/device/loss.h"

// One sample's loss l(z, y) of its logits z, for kernels; objectives/losses.h has the formulas and the types
// of labels. If `outputs` is a compile-time constant, so is every index, and arrays of the caller stay in
// registers.

namespace pair::device::cuda {

// p = softmax(z), stored as the numbers that give p_k, and sum_k p_k z_k.
struct Softmax {
  float largest;
  float sum;
  float mean;

  __device__ __forceinline__ Softmax(const float* logits, int outputs)
      : largest(logits[0]), sum(0.0F), mean(0.0F) {
#pragma unroll
    for (int k = 1; k < outputs; ++k) {
      largest = fmaxf(largest, logits[k]);
    }
#pragma unroll
    for (int k = 0; k < outputs; ++k) {
      const float e = expf(logits[k] - largest);
      sum += e;
      mean += e * logits[k];
    }
    mean /= sum;
  }

  __device__ __forceinline__ float of(float logit) const {
    return expf(logit - largest) / sum;
  }
  __device__ __forceinline__ float loss(float logit_of_kind) const {
    return logf(sum) + largest - logit_of_kind;
  }
};

__device__ __forceinline__ float sigmoid(float z) {
  return 1.0F / (1.0F + expf(-z));
}

// The logit of a sample's class; NaN for an invalid class, which ends the run.
__device__ __forceinline__ float logit_of(const float* logits, int outputs, std::int64_t kind) {
  float found = nanf("");
#pragma unroll
  for (int k = 0; k < outputs; ++k) {
    found = k == kind ? logits[k] : found;
  }
  return found;
}

// l, and its derivative in a common factor of the logits, sum_k dl/dz_k z_k.
__device__ __forceinline__ float2 sample_moments(Loss loss, const float* logits, int outputs, float label,
                                                 std::int64_t kind) {
  const float z = logits[0];
  if (loss == Loss::cross_entropy) {
    const Softmax p(logits, outputs);
    const float right = logit_of(logits, outputs, kind);
    return {p.loss(right), p.mean - right};
  }
  if (loss == Loss::binary_cross_entropy) {
    return {fmaxf(z, 0.0F) - z * label + log1pf(expf(-fabsf(z))), (sigmoid(z) - label) * z};
  }
  return {(z - label) * (z - label), 2.0F * (z - label) * z};
}

// Calls each(k, first, second) for every output k: the slopes of those two moments in z_k.
template <class Each>
__device__ __forceinline__ void each_slope(Loss loss, const float* logits, int outputs, float label,
                                           std::int64_t kind, const Each& each) {
  const float z = logits[0];
  if (loss == Loss::cross_entropy) {
    const Softmax softmax(logits, outputs);
#pragma unroll
    for (int k = 0; k < outputs; ++k) {
      const float p = softmax.of(logits[k]);
      const float slope = p - (k == kind ? 1.0F : 0.0F);
      each(k, slope, slope + p * (logits[k] - softmax.mean));
    }
  } else if (loss == Loss::binary_cross_entropy) {
    const float p = sigmoid(z);
    each(0, p - label, p - label + p * (1.0F - p) * z);
  } else {
    const float slope = 2.0F * (z - label);
    each(0, slope, slope + 2.0F * z);
  }
}

}  // namespace pair::device::cuda

#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

// The kernel launches of batch_norm.h (see kernels.h). Number is float, __half or __nv_bfloat16. Images are
// rows [pixels, channels].

namespace pair::device::cuda {

inline constexpr int most_partials = 512;

struct BatchNormLaunch {
  std::int64_t rows;
  int channels;  // a multiple of 4
  float epsilon;
  const float* gamma;
  const float* beta;
  float* partials;    // [most_partials, 2, channels], workspace
  float* statistics;  // [2, channels]: mean, 1 / deviation
};

// running_mean and running_variance may be null, and residual.
template <class Number>
void batch_norm_relu(const BatchNormLaunch& launch, const Number* x, const Number* residual, Number* y,
                     float* running_mean, float* running_variance, float momentum, cudaStream_t stream);

// y and by_residual are null without a residual. means: [2, channels], workspace.
template <class Number>
void batch_norm_relu_backward(const BatchNormLaunch& launch, const Number* gradient, const Number* x,
                              const Number* y, Number* by_x, Number* by_residual, float* by_gamma,
                              float* by_beta, float* means, cudaStream_t stream);

}  // namespace pair::device::cuda

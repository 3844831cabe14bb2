#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

// The kernel launches of group_norm.h (see kernels.h).

namespace pair::device::cuda {

// Images [n, pixels, channels]: y = group_norm(relu(x + bias)) gamma + beta, or, where y is null, its means
// over the pixels [n, channels]; statistics [n, groups, 2] hold mean and 1 / deviation.
struct Norm {
  std::int64_t images;
  int pixels;
  int channels;  // a multiple of 32
  int groups;    // of 4, 8, 16 or 32 channels
  float epsilon;
};
template <class Number>  // float or __half
void relu_group_norm(const Norm& norm, const Number* x, const float* bias, const float* gamma,
                     const float* beta, Number* y, float* means, float* statistics, cudaStream_t stream);
// dx, and sums [n, 3, channels] over each image's pixels: the gradients of gamma, beta and bias. dy is the
// gradient of y; if it is null, dmeans is the gradient of the means. Values beyond the range of 16 bits are
// clamped.
template <class Number>
void relu_group_norm_backward(const Norm& norm, const Number* x, const float* bias, const float* gamma,
                              const float* statistics, const Number* dy, const float* dmeans, Number* dx,
                              float* sums, cudaStream_t stream);

}  // namespace pair::device::cuda

#pragma once

#include <torch/types.h>

// Batch normalisation with what follows it in residual and dense networks, on CUDA devices:
//
//   y = relu(gamma (x - mean) / deviation + beta + residual)
//
// LibTorch's parts pass over the images thirteen times in a forward and a backward pass (sixteen with a
// residual), these kernels eight times (twelve). Sums have a fixed order: the same images give the same bits.

namespace pair::device {

// Whether the kernels support these images [n, c, h, w]: of 32 or 16 bits on a CUDA device, channels last in
// memory, c a multiple of 4, in a build with CUDA.
bool takes_batch_norm(const torch::Tensor& images);

// gamma, beta and the running statistics have 32 bits, [c]. The running ones, if defined, are moved by the
// fraction momentum towards the batch's mean and unbiased variance. residual: as x, or undefined.
struct BatchNorm {
  torch::Tensor gamma;
  torch::Tensor beta;
  double epsilon;
};
struct BatchNormed {
  torch::Tensor result;
  torch::Tensor statistics;  // [2, c]: mean and 1 / deviation, for the backward pass
};
BatchNormed batch_norm_relu(const torch::Tensor& x, const BatchNorm& norm, const torch::Tensor& residual,
                            torch::Tensor running_mean, torch::Tensor running_variance, double momentum);

// result: of the forward pass if there was a residual; otherwise undefined.
struct BatchNormGradients {
  torch::Tensor x;
  torch::Tensor gamma;
  torch::Tensor beta;
  torch::Tensor residual;  // undefined without result
};
BatchNormGradients batch_norm_relu_backward(const torch::Tensor& gradient, const torch::Tensor& x,
                                            const BatchNorm& norm, const torch::Tensor& statistics,
                                            const torch::Tensor& result);

}  // namespace pair::device

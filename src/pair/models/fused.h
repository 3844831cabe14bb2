#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

// Fused layers: one pass if the device has a kernel (device/kernels.h), otherwise torch's operations. The
// same function of the same parameters either way.

namespace pair::models {

// relu(layer(rows)), rows [n, d].
torch::Tensor linear_relu(const torch::nn::Linear& layer, const torch::Tensor& rows);

// Whether there is a kernel for it and its backward pass.
bool takes_linear_relu(const torch::nn::Linear& layer, const torch::Tensor& rows);

// Maps the gradient [n, d'] of layer(rows) to that of rows [n, d].
torch::Tensor back_through(const torch::Tensor& weight, const torch::Tensor& gradient);

// norm(relu(convolution(images))), images [n, c, h, w]; pooled: its mean over the image, [n, c']. padding:
// the convolution's, whose type differs between LibTorch's versions. Images of 16 bits are multiplied by the
// weight in 16 bits: by `rounded`, if given.
torch::Tensor convolution_relu_norm(const torch::nn::Conv2d& convolution, const torch::nn::GroupNorm& norm,
                                    const torch::Tensor& images, std::int64_t padding, bool pooled = false,
                                    const torch::Tensor& rounded = {});

// The weights in 16 bits, differentiable.
std::vector<torch::Tensor> rounded_to_half(const std::vector<torch::Tensor>& weights);

// Stores the weights of convolutions in the memory order that is fast on CUDA devices: channels last.
void lay_out_for_cuda(torch::nn::Module& module);

}  // namespace pair::models

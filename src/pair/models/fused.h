#pragma once

#include <torch/nn.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

// Layers that go together, in one pass where the device has a kernel for it (device/kernels.h) and in torch's
// own operations elsewhere. The same function of the same parameters either way.

namespace pair::models {

// relu(layer(rows)), rows [n, d].
torch::Tensor linear_relu(const torch::nn::Linear& layer, const torch::Tensor& rows);

// Whether there is a kernel for that, and for its way back.
bool takes_linear_relu(const torch::nn::Linear& layer, const torch::Tensor& rows);

// gradient [n, d'] of layer(rows) to that of rows [n, d].
torch::Tensor back_through(const torch::Tensor& weight, const torch::Tensor& gradient);

// norm(relu(convolution(images))), images [n, c, h, w]; pooled: its mean over the image, [n, c']. padding:
// the convolution's, whose options keep it in a type that differs between LibTorch's versions. Images of 16
// bits are multiplied by the weight in 16 bits: by rounded, where the caller has it.
torch::Tensor convolution_relu_norm(const torch::nn::Conv2d& convolution, const torch::nn::GroupNorm& norm,
                                    const torch::Tensor& images, std::int64_t padding, bool pooled = false,
                                    const torch::Tensor& rounded = {});

// The weights in 16 bits, differentiable.
std::vector<torch::Tensor> rounded_to_half(const std::vector<torch::Tensor>& weights);

// Puts the weights of convolutions in the order in memory that the above want on CUDA devices: channels last.
void lay_out_for_cuda(torch::nn::Module& module);

}  // namespace pair::models

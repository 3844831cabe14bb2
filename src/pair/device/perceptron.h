#pragma once

#include <torch/types.h>

// The backward pass of a perceptron on CUDA devices, apart from its matrix products.

namespace pair::device {

// The gradient [n, d] where output is above 0 and 0 elsewhere, and its sum over the rows [d]; d is a multiple
// of 4.
struct ReluGradient {
  torch::Tensor gradient;
  torch::Tensor sum;
};
ReluGradient relu_backward(const torch::Tensor& gradient, const torch::Tensor& output);

// column [n, 1] times row [1, d], d a multiple of 4.
torch::Tensor outer(const torch::Tensor& column, const torch::Tensor& row);

}  // namespace pair::device

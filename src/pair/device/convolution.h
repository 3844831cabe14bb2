#pragma once

#include <torch/types.h>

#include <cstdint>

// Convolutions of images with few channels on CUDA devices: their windows as rows of a matrix, for a matrix
// product, and a first layer that needs no such matrix.

namespace pair::device {

// The windows of a convolution over images [n, c, h, w], of 32 or 16 bits, as rows [n h' w', columns] of c
// side side numbers, padded with zeros; columns is a multiple of 4, at most 256.
torch::Tensor windows(const torch::Tensor& images, std::int64_t side, std::int64_t stride,
                      std::int64_t padding, std::int64_t columns);

// A convolution of images with one or two channels, with the following operations, in one pass: x, its sums
// without the bias, and group_norm(relu(x + bias)) gamma + beta with the statistics for the backward pass.
// images [n, c, h, w], x and the result have 16 bits; x and the result have channels last. The weight is
// rounded to 16 bits; sums have 32. x and statistics are undefined unless requested.
struct FirstLayer {
  torch::Tensor result;
  torch::Tensor x;
  torch::Tensor statistics;
};
FirstLayer first_layer(const torch::Tensor& images, const torch::Tensor& weight, const torch::Tensor& bias,
                       const torch::Tensor& gamma, const torch::Tensor& beta, double epsilon,
                       bool for_the_way_back);
// Whether it supports these: 3 x 3 windows, stride 1, padding 1, into 64 channels in 8 groups.
bool takes_first_layer(const torch::Tensor& images, const torch::Tensor& weight, std::int64_t stride,
                       std::int64_t padding, std::int64_t groups);

}  // namespace pair::device

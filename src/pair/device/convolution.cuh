#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

// The kernel launches of convolution.h (see kernels.h).

namespace pair::device::cuda {

// Images [n, channels, height, width]: for every position of a side x side window, at distance stride, with
// zero padding, one row with its numbers, channel by channel, padded with zeros to `columns`, a multiple of
// 4.
struct Windows {
  std::int64_t images;
  int channels;
  int height;
  int width;
  int side;
  int stride;
  int padding;
  int columns;  // at most 256

  [[nodiscard]] int down() const { return (height + 2 * padding - side) / stride + 1; }
  [[nodiscard]] int across() const { return (width + 2 * padding - side) / stride + 1; }
};
template <class Number>
void windows(const Windows& windows, const Number* images, Number* rows, cudaStream_t stream);

// Images [n, channels, height, width] with one or two channels: x = the sums over 3 x 3 windows with stride 1
// and padding 1, times weight [64, channels, 3, 3], which is rounded to 16 bits; and y = group_norm(relu(x +
// bias)) gamma + beta with groups of 8 channels. x and y are [n, height, width, 64]; x and the
// statistics, as in group_norm.cuh, are not written if null.
struct FirstLayer {
  std::int64_t images;
  int channels;
  int height;
  int width;
  float epsilon;
  int multiprocessors;  // of the device

  static constexpr int outputs = 64;
  static constexpr int groups = 8;
  // Places of an image with its border, so that it and the places of its pixels fit into the memory of a
  // multiprocessor that a block has by default.
  static constexpr int most_places = 8000;
  static_assert(most_places * (sizeof(__half2) + sizeof(unsigned short)) + 1024 <= 48 * 1024);
};
void first_layer(const FirstLayer& layer, const __half* images, const float* weight, const float* bias,
                 const float* gamma, const float* beta, __half* x, __half* y, float* statistics,
                 cudaStream_t stream);

}  // namespace pair::device::cuda

#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "pair/device/loss.h"

// The kernel launches of kernels.h, without torch's headers, which nvcc would have to parse. All pointers are
// device pointers. Every sum has a fixed order, so that the same input gives the same bits.

namespace pair::device::cuda {

inline constexpr int update_blocks = 128;
inline constexpr int update_workspace = 2 * update_blocks + 3;

struct Update {
  float* parameters;
  float* last_good;
  float* first;   // SGD's velocity, Adam's mean
  float* second;  // Adam's mean of squares; null for SGD
  const float* gradient;
  std::int64_t count;
  const double* losses;
  int loss_count;
  const double* lr;
  double* tally;      // restarts, rollbacks, in a row, halving
  double* decays;     // Adam: beta1^t, beta2^t
  double* workspace;  // [update_workspace]: zeros before the first step
  float momentum;
  bool restart;
  double patience;  // rollbacks in a row after which the run is over
};
void update(const Update& update, cudaStream_t stream);

// Rows of a multiple of four numbers: g = gradient if output > 0, otherwise 0; partials [blocks, columns]
// hold the sums of g over each block's rows.
inline constexpr int relu_rows_per_block = 128;
void relu_backward(const float* gradient, const float* output, float* g, float* partials, std::int64_t rows,
                   int columns, cudaStream_t stream);

// The sums over the rows of [count, columns].
void column_sums(const float* rows, float* sums, std::int64_t count, int columns, cudaStream_t stream);

// column [rows, 1] times row [1, columns], columns a multiple of 4.
void outer(const float* column, const float* row, float* result, std::int64_t rows, int columns,
           cudaStream_t stream);

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
// bias)) gamma + beta with groups of 8 channels. x and y are [n, height, width, 64]; x and the statistics, as
// above, are not written if null.
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

// Logits [rows, outputs] of environments of equal size, in order. `labels`, or for cross-entropy `classes`, the
// classes; the other is null. moments [2, environments]: each environment's mean loss, and the mean of sum_k
// dl/dz_k z_k. partials: workspace of 2 * environments * risk_blocks.
inline constexpr int risk_blocks = 32;
struct Risks {
  Loss loss;
  std::int64_t rows;
  int outputs;
  int environments;
};
void moments(const Risks& risks, const float* logits, const float* labels, const std::int64_t* classes,
             double* partials, double* moments, cudaStream_t stream);
// The gradients in the logits, [objectives, rows, outputs], of functions with gradients by_first [objectives,
// environments] in the first moments and by_second in the second; null means zero.
void moment_slopes(const Risks& risks, const float* logits, const float* labels, const std::int64_t* classes,
                   int objectives, const double* by_first, const double* by_second, float* slopes,
                   cudaStream_t stream);

// scaled: the numbers times the power of two that brings the largest magnitude into [1, 2]; factor: its
// inverse. 1 if that magnitude is 0 or not finite.
void scale_for_half(const float* numbers, std::int64_t count, float* scaled, float* factor,
                    cudaStream_t stream);

// The numbers of several tensors, concatenated. Those of a scaled one are clamped to the range of 16 bits and
// multiplied by factor.
inline constexpr int most_parts = 64;
struct Parts {
  struct Part {
    const void* numbers;
    std::int64_t count;
    std::int64_t start;  // offset in the result
    int first_block;     // set by gather
    bool half;           // 16-bit numbers
    bool scaled;
  };
  Part all[most_parts];
  int count;
};
template <class Number>  // float or __half
void gather(Parts parts, const float* factor, Number* to, cudaStream_t stream);

// The given rows, of row_size numbers each.
void rows_in_half(const float* numbers, std::int64_t row_size, const std::int64_t* rows, std::int64_t count,
                  __half* to, cudaStream_t stream);

}  // namespace pair::device::cuda

#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "pair/device/loss.h"

// The launches behind kernels.h, without torch, whose headers nvcc need not read. All pointers are the
// device's; every sum is taken in a fixed order, so that the same input gives the same bits.

namespace pair::device::cuda {

inline constexpr int update_blocks = 128;
inline constexpr int update_room = 2 * update_blocks + 3;

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
  double* tally;   // restarts, rollbacks, in a row, halving
  double* decays;  // Adam: beta1^t, beta2^t
  double* room;    // update_room, to work in: zeros before the first step
  float momentum;
  bool restart;
  double patience;  // rollbacks in a row that are not forgotten
};
void update(const Update& update, cudaStream_t stream);

// Rows of four numbers' multiple: g = gradient where output > 0, else 0; partials [blocks, columns] hold g's
// sums over each block's rows.
inline constexpr int relu_rows_a_block = 128;
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
// dx, and sums [n, 3, channels] over each image's pixels: of the gradients of gamma, of beta and of bias. dy
// is the gradient of y or, where it is null, dmeans is that of the means. What 16 bits cannot hold ends at
// the largest number that they can.
template <class Number>
void relu_group_norm_backward(const Norm& norm, const Number* x, const float* bias, const float* gamma,
                              const float* statistics, const Number* dy, const float* dmeans, Number* dx,
                              float* sums, cudaStream_t stream);

// Images [n, channels, height, width]: for every place that a square of side x side numbers a channel is laid
// on, stride apart, with so many zeros of padding around, a row of the numbers below it, channel by channel,
// filled with zeros to `columns`, a multiple of 4.
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

// Images [n, channels, height, width] of one or two channels: x = the sums over 3 x 3 windows one apart, with
// a zero around, times weight [64, channels, 3, 3], which is rounded to 16 bits; and y = group_norm(relu(x +
// bias)) gamma + beta with groups of 8 channels. x and y are [n, height, width, 64]; x and the statistics, as
// above, are left out where they are null.
struct FirstLayer {
  std::int64_t images;
  int channels;
  int height;
  int width;
  float epsilon;
  int multiprocessors;  // of the device

  static constexpr int outputs = 64;
  static constexpr int groups = 8;
  // Of an image with what is around it, so that it and the places of its pixels fit into what a block has of
  // a multiprocessor's memory without asking.
  static constexpr int most_places = 8000;
  static_assert(most_places * (sizeof(__half2) + sizeof(unsigned short)) + 1024 <= 48 * 1024);
};
void first_layer(const FirstLayer& layer, const __half* images, const float* weight, const float* bias,
                 const float* gamma, const float* beta, __half* x, __half* y, float* statistics,
                 cudaStream_t stream);

// Logits [rows, outputs] of environments of equal size, one after another. labels, or for cross-entropy
// kinds, the classes; the other is null. moments [2, environments]: each environment's mean loss, and the
// mean of sum_k dl/dz_k z_k. partials: 2 * environments * risk_blocks, to work in.
inline constexpr int risk_blocks = 32;
struct Risks {
  Loss loss;
  std::int64_t rows;
  int outputs;
  int environments;
};
void moments(const Risks& risks, const float* logits, const float* labels, const std::int64_t* kinds,
             double* partials, double* moments, cudaStream_t stream);
// The gradients in the logits, [objectives, rows, outputs], of what has by_first [objectives, environments]
// as its gradient in the first moments and by_second in the second; null is none in those.
void moment_slopes(const Risks& risks, const float* logits, const float* labels, const std::int64_t* kinds,
                   int objectives, const double* by_first, const double* by_second, float* slopes,
                   cudaStream_t stream);

// scaled: the numbers times the power of two by which the largest magnitude lies in [1, 2], factor: one over
// it. 1 where that magnitude is 0 or not finite.
void scale_for_half(const float* numbers, std::int64_t count, float* scaled, float* factor,
                    cudaStream_t stream);

// Tensors' numbers, one tensor after another. Those of a scaled one are held at what 16 bits can hold and
// multiplied by factor.
inline constexpr int most_parts = 64;
struct Parts {
  struct Part {
    const void* numbers;
    std::int64_t count;
    std::int64_t start;  // in what is gathered
    int first_block;     // found by gather
    bool half;           // numbers of 16 bits
    bool scaled;
  };
  Part all[most_parts];
  int count;
};
template <class Number>  // float or __half
void gather(Parts parts, const float* factor, Number* to, cudaStream_t stream);

// The given rows, of so many numbers each.
void rows_in_half(const float* numbers, std::int64_t row_size, const std::int64_t* rows, std::int64_t count,
                  __half* to, cudaStream_t stream);

}  // namespace pair::device::cuda

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "pair/base/splitmix64.h"
#include "pair/device/block_sum.cuh"
#include "pair/device/dropout.cuh"
#include "pair/device/four.cuh"

// Dropout by counters, alone and behind attention's softmax.

namespace pair::device::cuda {
namespace {

constexpr unsigned int whole_warp = 0xffffffffU;
constexpr int warps = threads / warp_size;

// base::splitmix64::word, which is a function of the host.
__device__ std::uint64_t random_word(std::uint64_t counter) {
  namespace constants = base::splitmix64;
  std::uint64_t word = counter * constants::increment;
  word = (word ^ (word >> 30U)) * constants::first_factor;
  word = (word ^ (word >> 27U)) * constants::second_factor;
  return word ^ (word >> 31U);
}

// The factors of the numbers of one row of the batch.
class RowMask {
 public:
  __device__ RowMask(const Mask& mask, std::int64_t row)
      : mask_(mask),
        first_(static_cast<std::uint64_t>(*mask.key) + static_cast<std::uint64_t>(mask.offset) +
               static_cast<std::uint64_t>((mask.places == nullptr ? row : mask.places[row]) * mask.words)) {}

  // The factors of the numbers i to i + 3.
  __device__ Four factors(std::int64_t i) const {
    Four result;
    if (mask_.four_per_word) {
      const std::uint64_t bits = bits_of_four(static_cast<std::uint64_t>(i));
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int of_one = static_cast<std::int16_t>(bits >> static_cast<unsigned int>(16 * k));
        result.at[k] = of_one >= static_cast<int>(mask_.least) ? mask_.factor : 0.0F;
      }
    } else {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const std::uint64_t bits = random_word(first_ + static_cast<std::uint64_t>(i + k)) >> 33U;
        result.at[k] = static_cast<std::int64_t>(bits) >= mask_.least ? mask_.factor : 0.0F;
      }
    }
    return result;
  }

 private:
  // 16 bits for each of the numbers i to i + 3, which one word has, or two adjacent ones.
  __device__ std::uint64_t bits_of_four(std::uint64_t i) const {
    const std::uint64_t word = random_word(first_ + i / 4);
    const auto skipped = static_cast<unsigned int>(16 * (i % 4));
    return skipped == 0 ? word : word >> skipped | random_word(first_ + i / 4 + 1) << (64U - skipped);
  }

  const Mask& mask_;
  std::uint64_t first_;
};

// The first `count` of four numbers; the others are `rest`. whole: all four, at a multiple of their size.
template <class Number>
__device__ Four load_some(const Number* from, std::int64_t count, bool whole, float rest) {
  if (whole) {
    return load(from);
  }
  Four v{{rest, rest, rest, rest}};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (k < count) {
      v.at[k] = static_cast<float>(from[k]);
    }
  }
  return v;
}
template <class Number>
__device__ void store_some(Number* to, const Four& v, std::int64_t count, bool whole) {
  if (whole) {
    store(to, v);
    return;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (k < count) {
      to[k] = static_cast<Number>(v.at[k]);
    }
  }
}

__device__ Four product(Four a, const Four& b) {
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    a.at[k] *= b.at[k];
  }
  return a;
}

// Grid: rows by any number of blocks of `threads`, four numbers per thread and turn.
template <class Number>
__global__ void drop_numbers(const Number* from, Number* to, std::int64_t numbers, const Mask mask) {
  const RowMask row(mask, blockIdx.x);
  from += blockIdx.x * numbers;
  to += blockIdx.x * numbers;
  const bool whole = numbers % 4 == 0;
  const std::int64_t stride = 4 * static_cast<std::int64_t>(gridDim.y) * threads;
  for (std::int64_t i = 4 * (static_cast<std::int64_t>(blockIdx.y) * threads + threadIdx.x); i < numbers;
       i += stride) {
    const std::int64_t count = numbers - i;
    store_some(to + i, product(load_some(from + i, count, whole, 0.0F), row.factors(i)), count, whole);
  }
}

// A warp's row of attention weights: a lane has `quads` times four adjacent columns. Grid: samples by blocks of
// `warps` rows.
struct WarpRow {
  int in_sample;         // which row of the sample; rows_per_sample or more: none
  std::int64_t numbers;  // the first of its weights, within the sample
  std::int64_t at;       // and in all samples
  int lane;

  __device__ explicit WarpRow(const Weights& shape)
      : in_sample(static_cast<int>(blockIdx.y * warps + threadIdx.x / warp_size)),
        numbers(static_cast<std::int64_t>(in_sample) * shape.columns),
        at(static_cast<std::int64_t>(blockIdx.x) * shape.rows_per_sample * shape.columns + numbers),
        lane(static_cast<int>(threadIdx.x) % warp_size) {}

  __device__ int column(int quad) const { return 4 * (lane + quad * warp_size); }
};

__device__ float warp_sum(float mine) {
  for (int apart = warp_size / 2; apart > 0; apart /= 2) {
    mine += __shfl_xor_sync(whole_warp, mine, apart);
  }
  return mine;
}
__device__ float warp_max(float mine) {
  for (int apart = warp_size / 2; apart > 0; apart /= 2) {
    mine = fmaxf(mine, __shfl_xor_sync(whole_warp, mine, apart));
  }
  return mine;
}

// Rows of at most 128 quads columns.
template <class Number, int quads>
__global__ void weigh(const Weights shape, const Number* scores, const float* bias, const Mask mask,
                      Number* weights, Number* dropped) {
  const WarpRow place(shape);
  if (place.in_sample >= shape.rows_per_sample) {
    return;
  }
  scores += place.at;
  weights += place.at;
  dropped += place.at;
  bias += static_cast<std::int64_t>(blockIdx.x) * shape.columns;
  const bool whole = shape.columns % 4 == 0;
  Four v[quads];
  float largest = -INFINITY;
#pragma unroll
  for (int q = 0; q < quads; ++q) {
    const int c = place.column(q);
    v[q] = Four{{-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
    if (c < shape.columns) {
      v[q] = load_some(scores + c, shape.columns - c, whole, -INFINITY);
      const Four b = load_some(bias + c, shape.columns - c, whole, 0.0F);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        v[q].at[k] += b.at[k];
        largest = fmaxf(largest, v[q].at[k]);
      }
    }
  }
  largest = warp_max(largest);
  float sum = 0.0F;
#pragma unroll
  for (int q = 0; q < quads; ++q) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      v[q].at[k] = __expf(v[q].at[k] - largest);
      sum += v[q].at[k];
    }
  }
  const float share = 1.0F / warp_sum(sum);
  const RowMask row(mask, blockIdx.x);
#pragma unroll
  for (int q = 0; q < quads; ++q) {
    const int c = place.column(q);
    if (c < shape.columns) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        v[q].at[k] *= share;
      }
      const int count = shape.columns - c;
      store_some(weights + c, v[q], count, whole);
      store_some(dropped + c, product(v[q], row.factors(place.numbers + c)), count, whole);
    }
  }
}

// With g the gradient behind the mask: weights (g - sum of weights g). The grid is that of `weigh`.
template <class Number, int quads>
__global__ void weigh_backward(const Weights shape, const Number* gradient, const Number* weights,
                               const Mask mask, Number* result) {
  const WarpRow place(shape);
  if (place.in_sample >= shape.rows_per_sample) {
    return;
  }
  gradient += place.at;
  weights += place.at;
  result += place.at;
  const bool whole = shape.columns % 4 == 0;
  const RowMask row(mask, blockIdx.x);
  Four g[quads];
  Four w[quads];
  float sum = 0.0F;
#pragma unroll
  for (int q = 0; q < quads; ++q) {
    const int c = place.column(q);
    if (c < shape.columns) {
      const int count = shape.columns - c;
      g[q] = product(load_some(gradient + c, count, whole, 0.0F), row.factors(place.numbers + c));
      w[q] = load_some(weights + c, count, whole, 0.0F);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        sum += w[q].at[k] * g[q].at[k];
      }
    }
  }
  sum = warp_sum(sum);
#pragma unroll
  for (int q = 0; q < quads; ++q) {
    const int c = place.column(q);
    if (c < shape.columns) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        g[q].at[k] = w[q].at[k] * (g[q].at[k] - sum);
      }
      store_some(result + c, g[q], shape.columns - c, whole);
    }
  }
}

// Calls launch with the smallest number of quads per lane that covers the columns, as a constant.
template <class Launch>
void for_columns(int columns, const Launch& launch) {
  const int quads = (columns + 4 * warp_size - 1) / (4 * warp_size);
  if (quads <= 1) {
    launch(std::integral_constant<int, 1>());
  } else if (quads <= 2) {
    launch(std::integral_constant<int, 2>());
  } else if (quads <= 3) {
    launch(std::integral_constant<int, 3>());
  } else if (quads <= 4) {
    launch(std::integral_constant<int, 4>());
  } else {
    launch(std::integral_constant<int, 8>());
  }
}

dim3 grid_of(const Weights& shape) {
  return dim3(static_cast<unsigned int>(shape.samples),
              static_cast<unsigned int>((shape.rows_per_sample + warps - 1) / warps));
}

}  // namespace

template <class Number>
void drop(const Number* from, Number* to, std::int64_t rows, std::int64_t numbers, const Mask& mask,
          cudaStream_t stream) {
  constexpr std::int64_t most_blocks = 1024;  // per row
  const std::int64_t per_block = 4 * threads;
  const std::int64_t blocks = std::min(most_blocks, (numbers + per_block - 1) / per_block);
  drop_numbers<<<dim3(static_cast<unsigned int>(rows), static_cast<unsigned int>(blocks)), threads, 0,
                 stream>>>(from, to, numbers, mask);
}

template <class Number>
void attention_weights(const Weights& shape, const Number* scores, const float* bias, const Mask& mask,
                       Number* weights, Number* dropped, cudaStream_t stream) {
  for_columns(shape.columns, [&](auto quads) {
    weigh<Number, quads><<<grid_of(shape), threads, 0, stream>>>(shape, scores, bias, mask, weights, dropped);
  });
}

template <class Number>
void attention_weights_backward(const Weights& shape, const Number* gradient, const Number* weights,
                                const Mask& mask, Number* result, cudaStream_t stream) {
  for_columns(shape.columns, [&](auto quads) {
    weigh_backward<Number, quads>
        <<<grid_of(shape), threads, 0, stream>>>(shape, gradient, weights, mask, result);
  });
}

#define PAIR_FOR_TYPE(Number)                                                                         \
  template void drop(const Number*, Number*, std::int64_t, std::int64_t, const Mask&, cudaStream_t);  \
  template void attention_weights(const Weights&, const Number*, const float*, const Mask&, Number*,  \
                                  Number*, cudaStream_t);                                             \
  template void attention_weights_backward(const Weights&, const Number*, const Number*, const Mask&, \
                                           Number*, cudaStream_t);
PAIR_FOR_TYPE(float)
PAIR_FOR_TYPE(__half)
PAIR_FOR_TYPE(__nv_bfloat16)
#undef PAIR_FOR_TYPE

}  // namespace pair::device::cuda

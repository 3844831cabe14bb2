#include <algorithm>

#include "pair/device/batch_norm.cuh"
#include "pair/device/block_sum.cuh"
#include "pair/device/four.cuh"

// Batch normalisation, residual and ReLU, forward and backward. Sums over the rows are made in two kernels: blocks
// write partial sums, and one more kernel adds them, in double precision and in their order.

namespace pair::device::cuda {
namespace {

// How a kernel's blocks divide the rows. Grid: slices of the channels by blocks of rows.
struct Tiles {
  std::int64_t rows;
  std::int64_t rows_per_block;
  int channels;
  int quads;  // groups of four channels per block: a power of two that divides channels / 4, at most 64
};

// A thread's place: four adjacent channels, and rows at a fixed stride.
struct Place {
  int channel;  // the first of four
  std::int64_t first;
  std::int64_t end;
  int stride;

  __device__ explicit Place(const Tiles& tiles)
      : channel(4 * static_cast<int>(blockIdx.x * tiles.quads + threadIdx.x % tiles.quads)),
        first(static_cast<std::int64_t>(blockIdx.y) * tiles.rows_per_block + threadIdx.x / tiles.quads),
        end(min(static_cast<std::int64_t>(blockIdx.y + 1) * tiles.rows_per_block, tiles.rows)),
        stride(threads / tiles.quads) {}
};

// gamma (x - mean) / deviation + beta of four channels. The mean is subtracted first: with a large mean, rounding the
// factor times x would cost digits.
struct Affine {
  Four mean;
  Four factor;  // gamma / deviation
  Four beta;

  __device__ Affine(const BatchNormLaunch& norm, int channel)
      : mean(load(norm.statistics + channel)),
        factor(load(norm.statistics + norm.channels + channel)),
        beta(load(norm.beta + channel)) {
    const Four gamma = load(norm.gamma + channel);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      factor.at[k] *= gamma.at[k];
    }
  }
  __device__ float operator()(float x, int k) const {
    return fmaf(x - mean.at[k], factor.at[k], beta.at[k]);
  }
};

// Adds the sums of a block's threads that have the same channels, and writes them to partials [blocks of rows,
// 2, channels].
__device__ void write_partials(const Tiles& tiles, const Place& place, const Four& first, const Four& second,
                               float* partials) {
  __shared__ Four shared[2][threads];
  shared[0][threadIdx.x] = first;
  shared[1][threadIdx.x] = second;
  __syncthreads();
  if (static_cast<int>(threadIdx.x) >= tiles.quads) {
    return;
  }
  for (int which = 0; which < 2; ++which) {
    Four sum = shared[which][threadIdx.x];
    for (int t = static_cast<int>(threadIdx.x) + tiles.quads; t < threads; t += tiles.quads) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        sum.at[k] += shared[which][t].at[k];
      }
    }
    store(partials + (static_cast<std::int64_t>(blockIdx.y) * 2 + which) * tiles.channels + place.channel,
          sum);
  }
}

constexpr int channels_at_once = 32;
constexpr int adders = 32;  // per channel

// The sums over all blocks of rows of what partial(block) returns for a channel, for the thread with threadIdx.y = 0.
// Grid: blocks of channels_at_once channels, by `adders` threads each.
template <class Partial>
__device__ Totals add_partials(int count, bool has_channel, const Partial& partial) {
  __shared__ Totals parts[adders][channels_at_once];
  Totals mine{0.0, 0.0};
  if (has_channel) {
    for (int p = static_cast<int>(threadIdx.y); p < count; p += adders) {
      const Totals one = partial(p);
      mine.first += one.first;
      mine.second += one.second;
    }
  }
  parts[threadIdx.y][threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.y == 0) {
    for (int a = 1; a < adders; ++a) {
      mine.first += parts[a][threadIdx.x].first;
      mine.second += parts[a][threadIdx.x].second;
    }
  }
  return mine;
}

// The two partial sums that a block of rows has written for a channel.
__device__ Totals partials_of(const BatchNormLaunch& norm, int block, int channel) {
  const float* const pair = norm.partials + static_cast<std::int64_t>(2 * block) * norm.channels + channel;
  return {pair[0], pair[norm.channels]};
}

// Sums of d = x - s and its square, with s the channel's number in the block's first row: without it, the square of a
// large mean would hide the variance. finish_statistics adds s again, in double precision. Grid: that of Tiles.
template <class Number>
__global__ void sum_images(const Tiles tiles, const Number* __restrict__ x, float* partials) {
  const Place place(tiles);
  const std::int64_t block_row = static_cast<std::int64_t>(blockIdx.y) * tiles.rows_per_block;
  const Four shift = load(x + block_row * tiles.channels + place.channel);
  Four sum{};
  Four squares{};
#pragma unroll 4
  for (std::int64_t row = place.first; row < place.end; row += place.stride) {
    const Four v = load(x + row * tiles.channels + place.channel);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float d = v.at[k] - shift.at[k];
      sum.at[k] += d;
      squares.at[k] += d * d;
    }
  }
  write_partials(tiles, place, sum, squares, partials);
}

// The statistics, from the sums of all blocks. Grid: adding_grid.
template <class Number>
__global__ void __launch_bounds__(channels_at_once* adders)
    finish_statistics(const BatchNormLaunch norm, const Tiles tiles, int count, const Number* x,
                      float* running_mean, float* running_variance, float momentum) {
  const int channel = static_cast<int>(blockIdx.x) * channels_at_once + static_cast<int>(threadIdx.x);
  const bool has_channel = channel < norm.channels;
  // sum x = sum d + n s,  sum x^2 = sum d^2 + 2 s sum d + n s^2
  const Totals sums = add_partials(count, has_channel, [&](int block) {
    const std::int64_t first = block * tiles.rows_per_block;
    const auto n = static_cast<double>(min(tiles.rows_per_block, tiles.rows - first));
    const auto s = static_cast<double>(static_cast<float>(x[first * tiles.channels + channel]));
    const Totals d = partials_of(norm, block, channel);
    return Totals{d.first + n * s, d.second + s * (2.0 * d.first + n * s)};
  });
  if (threadIdx.y != 0 || !has_channel) {
    return;
  }
  const auto rows = static_cast<double>(norm.rows);
  const double mean = sums.first / rows;
  const double spread = sums.second / rows - mean * mean;
  const double variance = spread < 0.0 ? 0.0 : spread;  // keeps a NaN
  norm.statistics[channel] = static_cast<float>(mean);
  norm.statistics[norm.channels + channel] = static_cast<float>(1.0 / sqrt(variance + norm.epsilon));
  if (running_mean != nullptr) {
    const double unbiased = variance * rows / (rows - 1.0);
    running_mean[channel] = static_cast<float>((1.0 - momentum) * running_mean[channel] + momentum * mean);
    running_variance[channel] =
        static_cast<float>((1.0 - momentum) * running_variance[channel] + momentum * unbiased);
  }
}

// relu(v), a NaN included.
__device__ float rectified(float v) {
  return v < 0.0F ? 0.0F : v;
}

// y = relu(normalised x + residual). Grid: that of Tiles.
template <class Number, bool with_residual>
__global__ void normalise(const Tiles tiles, const BatchNormLaunch norm, const Number* __restrict__ x,
                          const Number* __restrict__ residual, Number* __restrict__ y) {
  const Place place(tiles);
  const Affine affine(norm, place.channel);
#pragma unroll 4
  for (std::int64_t row = place.first; row < place.end; row += place.stride) {
    const std::int64_t at = row * tiles.channels + place.channel;
    Four v = load(x + at);
    Four other{};
    if constexpr (with_residual) {
      other = load(residual + at);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      v.at[k] = rectified(affine(v.at[k], k) + other.at[k]);
    }
    store(y + at, v);
  }
}

// The gradient in front of the ReLU. y is read only with a residual; without one, its sign follows from x.
template <class Number, bool with_residual>
__device__ Four through_relu(const Affine& affine, const Number* gradient, const Four& x, const Number* y) {
  Four g = load(gradient);
  Four result{};
  if constexpr (with_residual) {
    result = load(y);
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float before = with_residual ? result.at[k] : affine(x.at[k], k);
    g.at[k] = before <= 0.0F ? 0.0F : g.at[k];
  }
  return g;
}

// Sums of g and g (x - mean), with g the gradient in front of the ReLU. Grid: that of Tiles.
template <class Number, bool with_residual>
__global__ void sum_gradients(const Tiles tiles, const BatchNormLaunch norm,
                              const Number* __restrict__ gradient, const Number* __restrict__ x,
                              const Number* __restrict__ y) {
  const Place place(tiles);
  const Affine affine(norm, place.channel);
  Four sum{};
  Four products{};
#pragma unroll 4
  for (std::int64_t row = place.first; row < place.end; row += place.stride) {
    const std::int64_t at = row * tiles.channels + place.channel;
    const Four v = load(x + at);
    const Four g = through_relu<Number, with_residual>(affine, gradient + at, v, y + at);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      sum.at[k] += g.at[k];
      products.at[k] += g.at[k] * (v.at[k] - affine.mean.at[k]);
    }
  }
  write_partials(tiles, place, sum, products, norm.partials);
}

// means [2, channels]: of g, and of g (x - mean) over the variance. Grid: adding_grid.
__global__ void __launch_bounds__(channels_at_once* adders)
    finish_gradients(const BatchNormLaunch norm, int count, float* by_gamma, float* by_beta, float* means) {
  const int channel = static_cast<int>(blockIdx.x) * channels_at_once + static_cast<int>(threadIdx.x);
  const bool has_channel = channel < norm.channels;
  const Totals sums =
      add_partials(count, has_channel, [&](int block) { return partials_of(norm, block, channel); });
  if (threadIdx.y != 0 || !has_channel) {
    return;
  }
  const auto rows = static_cast<double>(norm.rows);
  const double inverse = norm.statistics[norm.channels + channel];
  by_beta[channel] = static_cast<float>(sums.first);
  by_gamma[channel] = static_cast<float>(sums.second * inverse);
  means[channel] = static_cast<float>(sums.first / rows);
  means[norm.channels + channel] = static_cast<float>(sums.second * inverse * inverse / rows);
}

// The gradient in x and, with a residual, in it. Grid: that of Tiles.
template <class Number, bool with_residual>
__global__ void gradients_of_images(const Tiles tiles, const BatchNormLaunch norm, const float* means,
                                    const Number* __restrict__ gradient, const Number* __restrict__ x,
                                    const Number* __restrict__ y, Number* __restrict__ by_x,
                                    Number* __restrict__ by_residual) {
  const Place place(tiles);
  const Affine affine(norm, place.channel);
  const Four of_g = load(means + place.channel);
  const Four of_products = load(means + norm.channels + place.channel);
#pragma unroll 4
  for (std::int64_t row = place.first; row < place.end; row += place.stride) {
    const std::int64_t at = row * tiles.channels + place.channel;
    Four v = load(x + at);
    const Four g = through_relu<Number, with_residual>(affine, gradient + at, v, y + at);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      v.at[k] =
          affine.factor.at[k] * (g.at[k] - of_g.at[k] - (v.at[k] - affine.mean.at[k]) * of_products.at[k]);
    }
    store(by_x + at, v);
    if constexpr (with_residual) {
      store(by_residual + at, g);
    }
  }
}

struct Division {
  Tiles tiles;
  dim3 grid;
};

// Blocks for the whole device, several per multiprocessor, each with at least a few rows per thread.
Division divided(const BatchNormLaunch& norm) {
  constexpr int most_quads = 64;
  constexpr std::int64_t most_blocks = 2048;
  int quads = 1;
  while (quads < most_quads && norm.channels / 4 % (2 * quads) == 0) {
    quads *= 2;
  }
  const int slices = norm.channels / 4 / quads;
  const std::int64_t least_rows = 4 * (threads / quads);
  const std::int64_t blocks =
      std::max<std::int64_t>(1, std::min({(norm.rows + least_rows - 1) / least_rows, most_blocks / slices,
                                          std::int64_t{most_partials}}));
  const std::int64_t rows_per_block = (norm.rows + blocks - 1) / blocks;
  const std::int64_t used = (norm.rows + rows_per_block - 1) / rows_per_block;
  return {{norm.rows, rows_per_block, norm.channels, quads},
          dim3(static_cast<unsigned int>(slices), static_cast<unsigned int>(used))};
}

dim3 adding_grid(const BatchNormLaunch& norm) {
  return dim3(static_cast<unsigned int>((norm.channels + channels_at_once - 1) / channels_at_once));
}
dim3 adding_block() {
  return dim3(channels_at_once, adders);
}

}  // namespace

template <class Number>
void batch_norm_relu(const BatchNormLaunch& launch, const Number* x, const Number* residual, Number* y,
                     float* running_mean, float* running_variance, float momentum, cudaStream_t stream) {
  const auto [tiles, grid] = divided(launch);
  sum_images<<<grid, threads, 0, stream>>>(tiles, x, launch.partials);
  finish_statistics<<<adding_grid(launch), adding_block(), 0, stream>>>(
      launch, tiles, static_cast<int>(grid.y), x, running_mean, running_variance, momentum);
  if (residual != nullptr) {
    normalise<Number, true><<<grid, threads, 0, stream>>>(tiles, launch, x, residual, y);
  } else {
    normalise<Number, false><<<grid, threads, 0, stream>>>(tiles, launch, x, residual, y);
  }
}

template <class Number>
void batch_norm_relu_backward(const BatchNormLaunch& launch, const Number* gradient, const Number* x,
                              const Number* y, Number* by_x, Number* by_residual, float* by_gamma,
                              float* by_beta, float* means, cudaStream_t stream) {
  const auto [tiles, grid] = divided(launch);
  if (y != nullptr) {
    sum_gradients<Number, true><<<grid, threads, 0, stream>>>(tiles, launch, gradient, x, y);
  } else {
    sum_gradients<Number, false><<<grid, threads, 0, stream>>>(tiles, launch, gradient, x, y);
  }
  finish_gradients<<<adding_grid(launch), adding_block(), 0, stream>>>(launch, static_cast<int>(grid.y),
                                                                       by_gamma, by_beta, means);
  if (y != nullptr) {
    gradients_of_images<Number, true>
        <<<grid, threads, 0, stream>>>(tiles, launch, means, gradient, x, y, by_x, by_residual);
  } else {
    gradients_of_images<Number, false>
        <<<grid, threads, 0, stream>>>(tiles, launch, means, gradient, x, y, by_x, by_residual);
  }
}

#define PAIR_FOR_TYPE(Number)                                                                          \
  template void batch_norm_relu(const BatchNormLaunch&, const Number*, const Number*, Number*, float*, \
                                float*, float, cudaStream_t);                                          \
  template void batch_norm_relu_backward(const BatchNormLaunch&, const Number*, const Number*,         \
                                         const Number*, Number*, Number*, float*, float*, float*,      \
                                         cudaStream_t);
PAIR_FOR_TYPE(float)
PAIR_FOR_TYPE(__half)
PAIR_FOR_TYPE(__nv_bfloat16)
#undef PAIR_FOR_TYPE

}  // namespace pair::device::cuda

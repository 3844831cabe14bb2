#include <algorithm>
#include <type_traits>

#include "pair/device/kernels.cuh"
#include "pair/device/losses.cuh"

namespace pair::device::cuda {
namespace {

constexpr int threads = 256;

// Two sums at the same time: g . g and g . v of an update, or losses and their derivatives.
struct Totals {
  double first;
  double second;
};

constexpr int lanes_a_warp = 32;

// The block's sums of both numbers, for all its threads.
__device__ Totals block_sum(Totals mine) {
  constexpr int warps = threads / lanes_a_warp;
  __shared__ Totals parts[warps];
  for (int apart = lanes_a_warp / 2; apart > 0; apart /= 2) {
    mine.first += __shfl_down_sync(0xffffffffU, mine.first, apart);
    mine.second += __shfl_down_sync(0xffffffffU, mine.second, apart);
  }
  __syncthreads();  // other threads may still read the previous sums
  if (threadIdx.x % lanes_a_warp == 0) {
    parts[threadIdx.x / lanes_a_warp] = mine;
  }
  __syncthreads();
  Totals all = parts[0];
  for (int w = 1; w < warps; ++w) {
    all.first += parts[w].first;
    all.second += parts[w].second;
  }
  return all;
}

constexpr double beta1 = 0.9;
constexpr double beta2 = 0.999;
constexpr float adam_epsilon = 1e-8F;

// The decision of a step, from the block that computed it, stored after the blocks' sums in the workspace.
struct Decision {
  float rate;
  float kept;  // SGD: share of the velocity
  float root;  // Adam: factor of the root of the mean square
  bool good;
};
static_assert(sizeof(Decision) <= 2 * sizeof(double));

__device__ Decision& decision_of(const Update& u) {
  return *reinterpret_cast<Decision*>(u.room + 2 * update_blocks);
}

// The number of finished blocks; 0 between two steps.
__device__ unsigned& done_of(const Update& u) {
  return *reinterpret_cast<unsigned*>(u.room + 2 * update_blocks + 2);
}

__device__ void decide(const Update& u, const Totals& all) {
  double sum = all.first;
  for (int k = 0; k < u.loss_count; ++k) {
    sum += u.losses[k] * u.losses[k];
  }
  Decision decision{};
  decision.good = isfinite(sum);
  if (!decision.good) {
    u.tally[1] += 1.0;
    u.tally[2] += 1.0;
    u.tally[3] *= 0.5;
    decision_of(u) = decision;
    return;
  }
  if (u.tally[2] < u.patience) {  // otherwise the run is over; the host will notice
    u.tally[2] = 0.0;
  }
  const double lr = *u.lr * u.tally[3];
  if (u.second != nullptr) {
    u.decays[0] *= beta1;
    u.decays[1] *= beta2;
    decision.rate = static_cast<float>(lr / (1.0 - u.decays[0]));
    decision.root = static_cast<float>(1.0 / sqrt(1.0 - u.decays[1]));
  } else {
    const bool restarted = u.restart && all.second < 0.0;
    u.tally[0] += restarted ? 1.0 : 0.0;
    decision.rate = static_cast<float>(lr);
    decision.kept = restarted ? 0.0F : u.momentum;
  }
  decision_of(u) = decision;
}

// The last block to finish adds the results of all blocks, in the blocks' order.
__global__ void sum_products(Update u) {
  __shared__ bool last;
  Totals mine{0.0, 0.0};
  const bool velocity = u.second == nullptr && u.restart;
  for (std::int64_t i = blockIdx.x * threads + threadIdx.x; i < u.count; i += update_blocks * threads) {
    const double g = u.gradient[i];
    mine.first += g * g;
    mine.second += velocity ? g * u.first[i] : 0.0;
  }
  mine = block_sum(mine);
  if (threadIdx.x == 0) {
    u.room[2 * blockIdx.x] = mine.first;
    u.room[2 * blockIdx.x + 1] = mine.second;
    __threadfence();
    last = atomicAdd(&done_of(u), 1U) == update_blocks - 1;
  }
  __syncthreads();
  if (!last) {
    return;
  }
  __threadfence();
  const volatile double* const partials = u.room;
  const int i = static_cast<int>(threadIdx.x);
  const Totals all =
      block_sum(i < update_blocks ? Totals{partials[2 * i], partials[2 * i + 1]} : Totals{0.0, 0.0});
  if (threadIdx.x == 0) {
    done_of(u) = 0;
    decide(u, all);
  }
}

__global__ void take_step(Update u) {
  const Decision decision = decision_of(u);
  const bool adam = u.second != nullptr;
  for (std::int64_t i = blockIdx.x * threads + threadIdx.x; i < u.count; i += gridDim.x * threads) {
    if (!decision.good) {
      u.parameters[i] = u.last_good[i];
      if (!adam) {
        u.first[i] = 0.0F;
      }
      continue;
    }
    const float p = u.parameters[i];
    const float g = u.gradient[i];
    u.last_good[i] = p;
    if (adam) {
      const float mean = u.first[i] + static_cast<float>(1.0 - beta1) * (g - u.first[i]);
      const float square = static_cast<float>(beta2) * u.second[i] + static_cast<float>(1.0 - beta2) * g * g;
      u.first[i] = mean;
      u.second[i] = square;
      u.parameters[i] = p - decision.rate * mean / (sqrtf(square) * decision.root + adam_epsilon);
    } else {
      const float v = decision.kept * u.first[i] + g;
      u.first[i] = v;
      u.parameters[i] = p - decision.rate * v;
    }
  }
}

constexpr int lanes = 4;                // rows that a block processes in parallel
constexpr int quads = threads / lanes;  // groups of four columns, likewise

__global__ void relu_back(const float4* gradient, const float4* output, float4* g, float4* partials,
                          std::int64_t rows, int columns) {
  __shared__ float4 sums[lanes][quads];
  const int quad = static_cast<int>(threadIdx.x) % quads;
  const int lane = static_cast<int>(threadIdx.x) / quads;
  // The last rows first: they were written last, and are still in the cache.
  const std::int64_t first = static_cast<std::int64_t>(gridDim.x - 1 - blockIdx.x) * relu_rows_a_block;
  const std::int64_t end = min(first + relu_rows_a_block, rows);
  for (int column = quad; column - quad < columns; column += quads) {
    float4 sum = {0.0F, 0.0F, 0.0F, 0.0F};
    if (column < columns) {
      for (std::int64_t row = first + lane; row < end; row += lanes) {
        const std::int64_t at = row * columns + column;
        float4 value = gradient[at];
        const float4 out = output[at];
        value.x = out.x > 0.0F ? value.x : 0.0F;
        value.y = out.y > 0.0F ? value.y : 0.0F;
        value.z = out.z > 0.0F ? value.z : 0.0F;
        value.w = out.w > 0.0F ? value.w : 0.0F;
        g[at] = value;
        sum.x += value.x;
        sum.y += value.y;
        sum.z += value.z;
        sum.w += value.w;
      }
    }
    sums[lane][quad] = sum;
    __syncthreads();
    if (lane == 0 && column < columns) {
      for (int other = 1; other < lanes; ++other) {
        sum.x += sums[other][quad].x;
        sum.y += sums[other][quad].y;
        sum.z += sums[other][quad].z;
        sum.w += sums[other][quad].w;
      }
      partials[static_cast<std::int64_t>(blockIdx.x) * columns + column] = sum;
    }
    __syncthreads();
  }
}

// A thread's four channels of a pixel.
struct Four {
  float at[4];
};

__device__ Four load(const float* from) {
  const float4 v = *reinterpret_cast<const float4*>(from);
  return {{v.x, v.y, v.z, v.w}};
}
__device__ Four load(const __half* from) {
  const __half2* pairs = reinterpret_cast<const __half2*>(from);
  const float2 a = __half22float2(pairs[0]);
  const float2 b = __half22float2(pairs[1]);
  return {{a.x, a.y, b.x, b.y}};
}
__device__ void store(float* to, const Four& v) {
  *reinterpret_cast<float4*>(to) = {v.at[0], v.at[1], v.at[2], v.at[3]};
}
__device__ void store(__half* to, const Four& v) {
  __half2* pairs = reinterpret_cast<__half2*>(to);
  pairs[0] = __floats2half2_rn(v.at[0], v.at[1]);
  pairs[1] = __floats2half2_rn(v.at[2], v.at[3]);
}

__device__ float held(float v, const float* /*in*/) {
  return v;
}
// Clamped to the range of 16 bits: an infinity would ruin the gradient of the whole step.
__device__ float held(float v, const __half* /*in*/) {
  return isnan(v) ? v : fminf(fmaxf(v, -65504.0F), 65504.0F);
}
template <class Number>
__device__ Four held(Four v, const Number* in) {
  for (float& number : v.at) {
    number = held(number, in);
  }
  return v;
}

constexpr int slice = 32;  // channels per block, in whole groups
constexpr int slice_quads = slice / 4;

// Four numbers as stored in memory.
template <class Number>
struct Raw;
template <>
struct Raw<float> {
  float4 v;
  __device__ explicit operator Four() const { return {{v.x, v.y, v.z, v.w}}; }
};
template <>
struct Raw<__half> {
  uint2 v;
  __device__ explicit operator Four() const {
    const float2 a = __half22float2(*reinterpret_cast<const __half2*>(&v.x));
    const float2 b = __half22float2(*reinterpret_cast<const __half2*>(&v.y));
    return {{a.x, a.y, b.x, b.y}};
  }
};
template <class Number>
__device__ Raw<Number> load_raw(const Number* from) {
  return {*reinterpret_cast<const decltype(Raw<Number>::v)*>(from)};
}

// The place of a thread in a normalisation: four adjacent channels of one group, at a fixed stride of pixels.
struct Place {
  int quad;     // within the slice
  int first;    // pixel
  int channel;  // the first of four
  int groups;   // in the slice
  int group;    // of the thread, within the slice
  std::int64_t image;
  std::int64_t statistic;  // of the slice's first group

  __device__ explicit Place(const Norm& norm)
      : quad(static_cast<int>(threadIdx.x) % slice_quads),
        first(static_cast<int>(threadIdx.x) / slice_quads),
        channel(static_cast<int>(blockIdx.y) * slice + 4 * quad),
        groups(slice * norm.groups / norm.channels),
        group(4 * quad * norm.groups / norm.channels),
        image(static_cast<std::int64_t>(blockIdx.x) * norm.pixels * norm.channels),
        statistic(static_cast<std::int64_t>(blockIdx.x) * norm.groups + blockIdx.y * groups) {}

  __device__ std::int64_t at(const Norm& norm, int pixel) const {
    return image + static_cast<std::int64_t>(pixel) * norm.channels + channel;
  }
};

// The sums over a block's pixels of `count` numbers per channel: totals[k][channel of the slice], visible to
// all threads on return. Lanes eight apart have the same quad.
template <int block, int count>
__device__ void sum_over_pixels(const Place& place, Four (&mine)[count], float (&totals)[count][slice]) {
  constexpr int warps = block / lanes_a_warp;
  __shared__ float parts[warps][count][slice];
  const int lane = static_cast<int>(threadIdx.x) % lanes_a_warp;
  const int warp = static_cast<int>(threadIdx.x) / lanes_a_warp;
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < 4; ++i) {
      float sum = mine[k].at[i];
      sum += __shfl_xor_sync(0xffffffffU, sum, 8);
      sum += __shfl_xor_sync(0xffffffffU, sum, 16);
      if (lane < slice_quads) {
        parts[warp][k][4 * place.quad + i] = sum;
      }
    }
  }
  __syncthreads();
  if (static_cast<int>(threadIdx.x) < count * slice) {
    const int k = static_cast<int>(threadIdx.x) / slice;
    const int channel = static_cast<int>(threadIdx.x) % slice;
    float sum = 0.0F;
    for (int w = 0; w < warps; ++w) {
      sum += parts[w][k][channel];
    }
    totals[k][channel] = sum;
  }
  __syncthreads();
}

// The number of resident blocks that gives a multiprocessor this many threads, as far as registers allow;
// blocks wait at different times.
constexpr int blocks_at_once(int block, int threads_at_hand = 1024) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  threads_at_hand = 1024;  // the limit of these multiprocessors
#endif
  return threads_at_hand / block;
}

// pooled: only the mean over the pixels is written, [images, channels]. kept: number of pixels that a thread
// keeps between the two passes over the image, at least as many as it has; 0: the image is read twice.
template <class Number, bool pooled, int block, int kept>
__global__ void __launch_bounds__(block, blocks_at_once(block, block > 256 || sizeof(Number) > 2 ? 1024
                                                               : pooled                          ? 1536
                                                                                                 : 1280))
    norm_forward(Norm norm, const Number* x, const float* bias, const float* gamma, const float* beta,
                 Number* y, float* means, float* statistics) {
  constexpr int stride = block / slice_quads;
  __shared__ float totals[2][slice];
  __shared__ float2 of_group[slice_quads];
  const Place place(norm);
  const Four b = load(bias + place.channel);
  Raw<Number> seen[kept > 0 ? kept : 1];
  Four sums[2] = {};  // of r = relu(x + bias), and of r^2
  const auto add = [&](const Four& v) {
    for (int i = 0; i < 4; ++i) {
      const float r = fmaxf(v.at[i] + b.at[i], 0.0F);
      sums[0].at[i] += r;
      sums[1].at[i] += r * r;
    }
  };
  if constexpr (kept > 0) {
#pragma unroll
    for (int k = 0; k < kept; ++k) {
      if (place.first + k * stride < norm.pixels) {
        seen[k] = load_raw(x + place.at(norm, place.first + k * stride));
      }
    }
#pragma unroll
    for (int k = 0; k < kept; ++k) {
      if (place.first + k * stride < norm.pixels) {
        add(static_cast<Four>(seen[k]));
      }
    }
  } else {
    for (int pixel = place.first; pixel < norm.pixels; pixel += stride) {
      add(load(x + place.at(norm, pixel)));
    }
  }
  sum_over_pixels<block>(place, sums, totals);
  if (static_cast<int>(threadIdx.x) < place.groups) {
    const int channels = slice / place.groups;
    double total = 0.0;
    double squares = 0.0;
    for (int c = 0; c < channels; ++c) {
      total += totals[0][static_cast<int>(threadIdx.x) * channels + c];
      squares += totals[1][static_cast<int>(threadIdx.x) * channels + c];
    }
    const double count = static_cast<double>(norm.pixels) * channels;
    const double mean = total / count;
    const double variance = fmax(squares / count - mean * mean, 0.0);
    const float2 found = {static_cast<float>(mean), static_cast<float>(1.0 / sqrt(variance + norm.epsilon))};
    of_group[threadIdx.x] = found;
    reinterpret_cast<float2*>(statistics)[place.statistic + threadIdx.x] = found;
  }
  __syncthreads();

  const float2 mine = of_group[place.group];
  Four scale = load(gamma + place.channel);
  Four shift = load(beta + place.channel);
  for (int i = 0; i < 4; ++i) {
    scale.at[i] *= mine.y;
    shift.at[i] -= mine.x * scale.at[i];
  }
  if constexpr (pooled) {
    if (place.first == 0) {
      Four mean;
      for (int i = 0; i < 4; ++i) {
        mean.at[i] =
            totals[0][4 * place.quad + i] / static_cast<float>(norm.pixels) * scale.at[i] + shift.at[i];
      }
      store(means + static_cast<std::int64_t>(blockIdx.x) * norm.channels + place.channel, mean);
    }
  } else {
    const auto write = [&](int pixel, Four v) {
      for (int i = 0; i < 4; ++i) {
        v.at[i] = fmaxf(v.at[i] + b.at[i], 0.0F) * scale.at[i] + shift.at[i];
      }
      store(y + place.at(norm, pixel), v);
    };
    if constexpr (kept > 0) {
#pragma unroll
      for (int k = 0; k < kept; ++k) {
        if (place.first + k * stride < norm.pixels) {
          write(place.first + k * stride, static_cast<Four>(seen[k]));
        }
      }
    } else {
      for (int pixel = place.first; pixel < norm.pixels; pixel += stride) {
        write(pixel, load(x + place.at(norm, pixel)));
      }
    }
  }
}

// With r = relu(x + bias), n = (r - mean) / deviation and d = gamma dy:
//     dr = (d - mean(d) - n mean(d n)) / deviation,  means over the group.
// pooled: dmeans is the gradient of the mean over the pixels, [images, channels].
template <class Number, bool pooled, int block, int kept>
__global__ void __launch_bounds__(block, blocks_at_once(block))
    norm_backward(Norm norm, const Number* x, const float* bias, const float* gamma, const float* statistics,
                  const Number* dy, const float* dmeans, Number* dx, float* sums) {
  constexpr int stride = block / slice_quads;
  // A thread has 64 registers.
  constexpr bool keeps_dy = !pooled && kept > 0 && 2 * kept * static_cast<int>(sizeof(Number)) <= 28;
  __shared__ float totals[2][slice];
  __shared__ float bias_totals[1][slice];
  __shared__ float2 of_group[slice_quads];
  const Place place(norm);
  const Four b = load(bias + place.channel);
  const Four scale = load(gamma + place.channel);
  const float2 moments = reinterpret_cast<const float2*>(statistics)[place.statistic + place.group];
  float* const image_sums = sums + static_cast<std::int64_t>(blockIdx.x) * 3 * norm.channels + place.channel;
  Four pooled_dy;
  if constexpr (pooled) {
    pooled_dy = load(dmeans + static_cast<std::int64_t>(blockIdx.x) * norm.channels + place.channel);
    for (int i = 0; i < 4; ++i) {
      pooled_dy.at[i] /= static_cast<float>(norm.pixels);
    }
  }
  Raw<Number> seen[kept > 0 ? kept : 1];
  Raw<Number> seen_dy[keeps_dy ? kept : 1];
  if constexpr (kept > 0) {
#pragma unroll
    for (int k = 0; k < kept; ++k) {
      if (place.first + k * stride < norm.pixels) {
        seen[k] = load_raw(x + place.at(norm, place.first + k * stride));
        if constexpr (keeps_dy) {
          seen_dy[k] = load_raw(dy + place.at(norm, place.first + k * stride));
        }
      }
    }
  }
  // Pixel k of the thread.
  const auto at_pixel = [&](int k, int pixel) -> Four {
    if constexpr (kept > 0) {
      return static_cast<Four>(seen[k]);
    } else {
      return load(x + place.at(norm, pixel));
    }
  };
  const auto gradient = [&](int k, int pixel) -> Four {
    if constexpr (pooled) {
      return pooled_dy;
    } else if constexpr (keeps_dy) {
      return held(static_cast<Four>(seen_dy[k]), dy);
    } else {
      return held(load(dy + place.at(norm, pixel)), dy);
    }
  };
  const auto each_pixel = [&](const auto& work) {
    if constexpr (kept > 0) {
#pragma unroll
      for (int k = 0; k < kept; ++k) {
        if (place.first + k * stride < norm.pixels) {
          work(k, place.first + k * stride);
        }
      }
    } else {
      for (int pixel = place.first; pixel < norm.pixels; pixel += stride) {
        work(0, pixel);
      }
    }
  };

  Four parts[2] = {};  // of d, and of d n
  each_pixel([&](int k, int pixel) {
    const Four v = at_pixel(k, pixel);
    const Four d = gradient(k, pixel);
    for (int i = 0; i < 4; ++i) {
      const float n = (fmaxf(v.at[i] + b.at[i], 0.0F) - moments.x) * moments.y;
      parts[0].at[i] += d.at[i];
      parts[1].at[i] += d.at[i] * n;
    }
  });
  sum_over_pixels<block>(place, parts, totals);
  if (place.first == 0) {
    Four of_gamma;
    Four of_beta;
    for (int i = 0; i < 4; ++i) {
      of_gamma.at[i] = totals[1][4 * place.quad + i];
      of_beta.at[i] = totals[0][4 * place.quad + i];
    }
    store(image_sums, of_gamma);
    store(image_sums + norm.channels, of_beta);
  }
  if (static_cast<int>(threadIdx.x) < place.groups) {
    const int channels = slice / place.groups;
    const float* const factors = gamma + blockIdx.y * slice + threadIdx.x * channels;
    float2 all = {0.0F, 0.0F};
    for (int c = 0; c < channels; ++c) {
      all.x += factors[c] * totals[0][static_cast<int>(threadIdx.x) * channels + c];
      all.y += factors[c] * totals[1][static_cast<int>(threadIdx.x) * channels + c];
    }
    const float count = static_cast<float>(norm.pixels) * static_cast<float>(channels);
    of_group[threadIdx.x] = {all.x / count, all.y / count};
  }
  __syncthreads();

  const float2 means = of_group[place.group];
  Four of_bias[1] = {};
  each_pixel([&](int k, int pixel) {
    const Four v = at_pixel(k, pixel);
    Four d = gradient(k, pixel);
    for (int i = 0; i < 4; ++i) {
      const float before = v.at[i] + b.at[i];
      const float n = (fmaxf(before, 0.0F) - moments.x) * moments.y;
      const float dr = (scale.at[i] * d.at[i] - means.x - n * means.y) * moments.y;
      d.at[i] = before > 0.0F ? held(dr, dx) : 0.0F;
      of_bias[0].at[i] += d.at[i];
    }
    store(dx + place.at(norm, pixel), d);
  });
  sum_over_pixels<block>(place, of_bias, bias_totals);
  if (place.first == 0) {
    Four all;
    for (int i = 0; i < 4; ++i) {
      all.at[i] = bias_totals[0][4 * place.quad + i];
    }
    store(image_sums + 2 * norm.channels, all);
  }
}

// Chooses a block size for the image, and one pass over memory if its pixels fit into the threads' registers.
// launch(block, kept), both as constants. many: the number of pixels that a thread of a large block may keep.
template <int many, class Launch>
void for_pixels(int pixels, const Launch& launch) {
  constexpr int small = 256;
  constexpr int large = 512;
  constexpr int few = 7;
  if (pixels <= few * small / slice_quads) {
    launch(std::integral_constant<int, small>{}, std::integral_constant<int, few>{});
  } else if (pixels <= many * large / slice_quads) {
    launch(std::integral_constant<int, large>{}, std::integral_constant<int, many>{});
  } else {
    launch(std::integral_constant<int, large>{}, std::integral_constant<int, 0>{});
  }
}

constexpr int sum_columns = 32;
constexpr int sum_rows = 16;

// One block per group of columns; its threads share the rows.
__global__ void add_rows(const float* rows, float* sums, std::int64_t count, int columns) {
  __shared__ float parts[sum_rows][sum_columns];
  const int column = static_cast<int>(blockIdx.x) * sum_columns + static_cast<int>(threadIdx.x);
  float sum = 0.0F;
  if (column < columns) {
    for (std::int64_t row = threadIdx.y; row < count; row += sum_rows) {
      sum += rows[row * columns + column];
    }
  }
  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && column < columns) {
    for (int other = 1; other < sum_rows; ++other) {
      sum += parts[other][threadIdx.x];
    }
    sums[column] = sum;
  }
}

__global__ void multiply_out(const float* column, const float4* row, float4* result, std::int64_t count,
                             int quads) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < count) {
    const float factor = column[i / quads];
    const float4 value = row[i % quads];
    result[i] = {factor * value.x, factor * value.y, factor * value.z, factor * value.w};
  }
}

__device__ float number(float v) {
  return v;
}
__device__ float number(__half v) {
  return __half2float(v);
}

// Blocks of an image, whose threads write four numbers of a row at a time. The offsets from the window's
// corner are the same for all rows, and divisions are slow, so they are read from a table.
constexpr int most_columns = 256;
constexpr int blocks_an_image = 4;
template <class Number>
__global__ void lay_windows(Windows w, int down, int across, const Number* images, Number* rows) {
  __shared__ int offset[most_columns];
  __shared__ int2 shift[most_columns];
  const int area = w.side * w.side;
  for (int at = static_cast<int>(threadIdx.x); at < w.columns; at += threads) {
    const int y = at % area / w.side;
    const int x = at % w.side;
    // Padding columns read outside of the image.
    shift[at] = at < w.channels * area ? int2{x, y} : int2{-(1 << 20), 0};
    offset[at] = (at / area * w.height + y) * w.width + x;
  }
  __syncthreads();
  const std::int64_t image = blockIdx.x;
  const Number* const from = images + image * w.channels * w.height * w.width;
  const int quads = w.columns / 4;
  const int count = down * across * quads;
  Number* const to = rows + image * count * 4;
  for (int i = static_cast<int>(blockIdx.y) * threads + static_cast<int>(threadIdx.x); i < count;
       i += blocks_an_image * threads) {
    const int place = i / quads;
    const int first = 4 * (i - place * quads);
    const int line = place / across;
    const int y = line * w.stride - w.padding;
    const int x = (place - line * across) * w.stride - w.padding;
    const int corner = y * w.width + x;
    Four four;
    for (int k = 0; k < 4; ++k) {
      const int2 s = shift[first + k];
      const bool inside = y + s.y >= 0 && y + s.y < w.height && x + s.x >= 0 && x + s.x < w.width;
      four.at[k] = inside ? number(from[corner + offset[first + k]]) : 0.0F;
    }
    store(to + 4 * i, four);
  }
}

// c += a b of [16, 8] = [16, 8] [8, 8], each matrix spread over a warp: lane 4 g + t has of a the rows g and
// g + 8 at columns 2 t and 2 t + 1, of b the column g at rows likewise, and of c the rows g and g + 8 at
// columns 2 t and 2 t + 1.
__device__ void multiply_add(float (&c)[4], unsigned a0, unsigned a1, unsigned b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(b));
}
// The same for [16, 16] [16, 8]: of a two such matrices side by side, of b one below the other.
__device__ void multiply_add(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  multiply_add(c, a[0], a[1], b[0]);
  multiply_add(c, a[2], a[3], b[1]);
#endif
}

// One image after another. A matrix product whose rows are 16 pixels, whose inner dimension is the nine
// places of the window times two channels (padded with zeros to 24), and whose columns are the 64 outputs,
// ordered so that a lane's are adjacent: lane t has 16 t to 16 t + 15, two whole groups. It is computed
// twice, for the statistics and for the normalised values, which is cheaper than storing it. warps: 28 x 28
// pixels are 7 x 7 x 16.
template <int warps>
__global__ void __launch_bounds__(warps* lanes_a_warp, 14 / warps)
    convolve_relu_norm(FirstLayer layer, const __half* images, const float* weight, const float* bias,
                       const float* gamma, const float* beta, __half* x, __half* y, float* statistics) {
  extern __shared__ __half2 around[];  // the image with a border of zeros, both channels per place
  __shared__ float4 parts[warps][4];
  __shared__ float2 of_group[FirstLayer::groups];
  constexpr int tiles = FirstLayer::outputs / 8;  // of columns
  const int pixels = layer.height * layer.width;
  const int across = layer.width + 2;
  const int places = (layer.height + 2) * across;
  auto* const corners = reinterpret_cast<unsigned short*>(around + places);  // of the pixels' windows
  for (int i = static_cast<int>(threadIdx.x); i < pixels; i += warps * lanes_a_warp) {
    corners[i] = static_cast<unsigned short>(i / layer.width * across + i % layer.width);
  }
  const int lane = static_cast<int>(threadIdx.x) % lanes_a_warp;
  const int warp = static_cast<int>(threadIdx.x) / lanes_a_warp;
  const int g = lane / 4;
  const int t = lane % 4;

  // Both channels of a place of the window for an output.
  const auto weights = [&](int output, int place) -> unsigned {
    if (place >= 9) {
      return 0U;
    }
    const float* const at = weight + output * layer.channels * 9 + place;
    const __half2 both = __floats2half2_rn(at[0], layer.channels > 1 ? at[9] : 0.0F);
    return *reinterpret_cast<const unsigned*>(&both);
  };
  unsigned b[tiles][2];
  unsigned last_b[tiles];
#pragma unroll
  for (int tile = 0; tile < tiles; ++tile) {
    const int output = g / 2 * 16 + tile * 2 + g % 2;
    b[tile][0] = weights(output, t);
    b[tile][1] = weights(output, t + 4);
    last_b[tile] = weights(output, t + 8);
  }
  const int first_output = 16 * t;
  float biases[2 * tiles];
#pragma unroll
  for (int i = 0; i < 2 * tiles; ++i) {
    biases[i] = bias[first_output + i];
  }

  const auto offset = [&](int place) { return place / 3 * across + place % 3; };
  const int offsets[3] = {offset(t), offset(t + 4), t == 0 ? offset(8) : 0};
  const auto seen = [&](int corner, int k) {
    return *reinterpret_cast<const unsigned*>(&around[corner + offsets[k]]);
  };
  // use(row of the lane's two, pixel, its 16 sums with the bias), for all pixels of the warp.
  const auto each_pixel = [&](const auto& use) {
    for (int first = 16 * warp; first < pixels; first += 16 * warps) {
      const int upper = corners[min(first + g, pixels - 1)];
      const int lower = corners[min(first + g + 8, pixels - 1)];
      const unsigned a[4] = {seen(upper, 0), seen(lower, 0), seen(upper, 1), seen(lower, 1)};
      const unsigned last_a[2] = {seen(upper, 2), seen(lower, 2)};
      float sums[tiles][4];
#pragma unroll
      for (int tile = 0; tile < tiles; ++tile) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          sums[tile][i] = biases[2 * tile + i % 2];
        }
        multiply_add(sums[tile], a, b[tile]);
        multiply_add(sums[tile], last_a[0], last_a[1], last_b[tile]);
      }
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        if (const int pixel = first + g + 8 * row; pixel < pixels) {
          use(row, pixel, sums);
        }
      }
    }
  };

  const __half zero = __float2half(0.0F);
  for (std::int64_t image = blockIdx.x; image < layer.images; image += gridDim.x) {
    __syncthreads();  // the previous image has been read
    for (int i = static_cast<int>(threadIdx.x); i < places; i += warps * lanes_a_warp) {
      const int row = i / across - 1;
      const int column = i % across - 1;
      __half2 both = {zero, zero};
      if (row >= 0 && row < layer.height && column >= 0 && column < layer.width) {
        const __half* const at = images + image * layer.channels * pixels + row * layer.width + column;
        both = {at[0], layer.channels > 1 ? at[pixels] : zero};
      }
      around[i] = both;
    }
    __syncthreads();

    float4 totals = {0.0F, 0.0F, 0.0F, 0.0F};  // sum and sum of squares, of both groups
    each_pixel([&](int row, int /*pixel*/, const float(&sums)[tiles][4]) {
#pragma unroll
      for (int tile = 0; tile < tiles; ++tile) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const float r = fmaxf(sums[tile][2 * row + i], 0.0F);
          (tile < tiles / 2 ? totals.x : totals.z) += r;
          (tile < tiles / 2 ? totals.y : totals.w) += r * r;
        }
      }
    });
    for (int apart = 4; apart < lanes_a_warp; apart *= 2) {
      totals.x += __shfl_xor_sync(0xffffffffU, totals.x, apart);
      totals.y += __shfl_xor_sync(0xffffffffU, totals.y, apart);
      totals.z += __shfl_xor_sync(0xffffffffU, totals.z, apart);
      totals.w += __shfl_xor_sync(0xffffffffU, totals.w, apart);
    }
    if (g == 0) {
      parts[warp][t] = totals;
    }
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < FirstLayer::groups) {
      const int group = static_cast<int>(threadIdx.x);
      double total = 0.0;
      double squares = 0.0;
      for (const auto& part : parts) {
        const float4 both = part[group / 2];
        total += group % 2 == 0 ? both.x : both.z;
        squares += group % 2 == 0 ? both.y : both.w;
      }
      const double count = 8.0 * pixels;
      const double mean = total / count;
      const double variance = fmax(squares / count - mean * mean, 0.0);
      const float2 found = {static_cast<float>(mean),
                            static_cast<float>(1.0 / sqrt(variance + layer.epsilon))};
      of_group[group] = found;
      if (statistics != nullptr) {
        reinterpret_cast<float2*>(statistics)[image * FirstLayer::groups + group] = found;
      }
    }
    __syncthreads();

    float scales[2 * tiles];
    float shifts[2 * tiles];
#pragma unroll
    for (int i = 0; i < 2 * tiles; ++i) {
      const float2 moments = of_group[2 * t + i / 8];
      scales[i] = gamma[first_output + i] * moments.y;
      shifts[i] = beta[first_output + i] - moments.x * scales[i];
    }
    const auto write = [&](__half* to, int pixel, const __half2(&pairs)[tiles]) {
      uint4* const at =
          reinterpret_cast<uint4*>(to + (image * pixels + pixel) * FirstLayer::outputs + first_output);
      at[0] = reinterpret_cast<const uint4*>(pairs)[0];
      at[1] = reinterpret_cast<const uint4*>(pairs)[1];
    };
    each_pixel([&](int row, int pixel, const float(&sums)[tiles][4]) {
      alignas(16) __half2 pairs[tiles];
      if (x != nullptr) {
#pragma unroll
        for (int tile = 0; tile < tiles; ++tile) {
          pairs[tile] = __floats2half2_rn(sums[tile][2 * row] - biases[2 * tile],
                                          sums[tile][2 * row + 1] - biases[2 * tile + 1]);
        }
        write(x, pixel, pairs);
      }
#pragma unroll
      for (int tile = 0; tile < tiles; ++tile) {
        float v[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          v[i] = fmaxf(sums[tile][2 * row + i], 0.0F) * scales[2 * tile + i] + shifts[2 * tile + i];
        }
        pairs[tile] = __floats2half2_rn(v[0], v[1]);
      }
      write(y, pixel, pairs);
    });
  }
}

__global__ void find_moments(Risks risks, const float* logits, const float* labels, const std::int64_t* kinds,
                             double* partials) {
  const std::int64_t rows = risks.rows / risks.environments;
  const std::int64_t start = blockIdx.y * rows;
  Totals sums{0.0, 0.0};
  for (std::int64_t i = blockIdx.x * threads + threadIdx.x; i < rows; i += risk_blocks * threads) {
    const std::int64_t row = start + i;
    const float2 sample =
        sample_moments(risks.loss, logits + row * risks.outputs, risks.outputs,
                       labels != nullptr ? labels[row] : 0.0F, kinds != nullptr ? kinds[row] : 0);
    sums.first += sample.x;
    sums.second += sample.y;
  }
  sums = block_sum(sums);
  if (threadIdx.x == 0) {
    double* const mine = partials + 2 * (blockIdx.y * risk_blocks + blockIdx.x);
    mine[0] = sums.first;
    mine[1] = sums.second;
  }
}

// One warp per environment.
__global__ void add_moments(Risks risks, const double* partials, double* moments) {
  const int environment = static_cast<int>(blockIdx.x);
  const double rows = static_cast<double>(risks.rows / risks.environments);
  const double* const mine = partials + 2 * environment * risk_blocks;
  for (int which = 0; which < 2; ++which) {
    double sum = mine[2 * threadIdx.x + which];
    for (int apart = risk_blocks / 2; apart > 0; apart /= 2) {
      sum += __shfl_down_sync(0xffffffffU, sum, apart);
    }
    if (threadIdx.x == 0) {
      moments[which * risks.environments + environment] = sum / rows;
    }
  }
}

__global__ void find_moment_slopes(Risks risks, const float* logits, const float* labels,
                                   const std::int64_t* kinds, int objectives, const double* by_first,
                                   const double* by_second, float* slopes) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (row >= risks.rows) {
    return;
  }
  const std::int64_t rows = risks.rows / risks.environments;
  const int environment = static_cast<int>(row / rows);
  const auto share = [&](const double* by, int k) {
    return by == nullptr
               ? 0.0F
               : static_cast<float>(by[k * risks.environments + environment] / static_cast<double>(rows));
  };
  each_slope(risks.loss, logits + row * risks.outputs, risks.outputs, labels != nullptr ? labels[row] : 0.0F,
             kinds != nullptr ? kinds[row] : 0, [&](int output, float first, float second) {
               for (int k = 0; k < objectives; ++k) {
                 slopes[(k * risks.rows + row) * risks.outputs + output] =
                     share(by_first, k) * first + share(by_second, k) * second;
               }
             });
}

constexpr int scale_threads = 1024;

__global__ void scale_all(const float* numbers, std::int64_t count, float* scaled, float* factor) {
  __shared__ float largest[scale_threads];
  __shared__ float scale;
  float mine = 0.0F;
  for (std::int64_t i = threadIdx.x; i < count; i += scale_threads) {
    const float size = fabsf(numbers[i]);
    mine = size > mine || isnan(size) ? size : mine;
  }
  largest[threadIdx.x] = mine;
  for (int half = scale_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) {
      const float other = largest[threadIdx.x + half];
      if (other > largest[threadIdx.x] || isnan(other)) {
        largest[threadIdx.x] = other;
      }
    }
  }
  if (threadIdx.x == 0) {
    int exponent = 1;
    if (largest[0] > 0.0F && isfinite(largest[0])) {
      frexpf(largest[0], &exponent);  // largest = f 2^exponent, f in [1/2, 1)
    }
    // Keeps both the scale and its inverse within the range of floats.
    const int places = max(min(1 - exponent, 100), -100);
    scale = ldexpf(1.0F, places);
    *factor = ldexpf(1.0F, -places);
  }
  __syncthreads();
  for (std::int64_t i = threadIdx.x; i < count; i += scale_threads) {
    scaled[i] = numbers[i] * scale;
  }
}

constexpr int numbers_a_thread = 4;
constexpr int numbers_a_block = numbers_a_thread * threads;

template <class Number>
__global__ void gather_parts(const __grid_constant__ Parts parts, const float* factor, Number* to) {
  int which = 0;
  while (which + 1 < parts.count && static_cast<int>(blockIdx.x) >= parts.all[which + 1].first_block) {
    ++which;
  }
  const Parts::Part& part = parts.all[which];
  const std::int64_t first =
      static_cast<std::int64_t>(static_cast<int>(blockIdx.x) - part.first_block) * numbers_a_block +
      threadIdx.x;
  const float by = part.scaled ? *factor : 1.0F;
#pragma unroll
  for (int k = 0; k < numbers_a_thread; ++k) {
    const std::int64_t i = first + k * threads;
    if (i < part.count) {
      float v = part.half ? __half2float(static_cast<const __half*>(part.numbers)[i])
                          : static_cast<const float*>(part.numbers)[i];
      if (part.scaled) {
        v = (isinf(v) ? copysignf(65504.0F, v) : v) * by;
      }
      to[part.start + i] = static_cast<Number>(v);
    }
  }
}

__global__ void take_rows_in_half(const float* numbers, std::int64_t row_size, const std::int64_t* rows,
                                  __half* to) {
  const float* const from = numbers + rows[blockIdx.x] * row_size;
  __half* const row = to + static_cast<std::int64_t>(blockIdx.x) * row_size;
  for (std::int64_t i = blockIdx.y * threads + threadIdx.x; i < row_size; i += gridDim.y * threads) {
    row[i] = __float2half(from[i]);
  }
}

}  // namespace

void update(const Update& update, cudaStream_t stream) {
  sum_products<<<update_blocks, threads, 0, stream>>>(update);
  const std::int64_t filled = (update.count + threads - 1) / threads;
  take_step<<<static_cast<unsigned>(filled < 2048 ? filled : 2048), threads, 0, stream>>>(update);
}

void relu_backward(const float* gradient, const float* output, float* g, float* partials, std::int64_t rows,
                   int columns, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((rows + relu_rows_a_block - 1) / relu_rows_a_block);
  relu_back<<<blocks, threads, 0, stream>>>(
      reinterpret_cast<const float4*>(gradient), reinterpret_cast<const float4*>(output),
      reinterpret_cast<float4*>(g), reinterpret_cast<float4*>(partials), rows, columns / 4);
}

void column_sums(const float* rows, float* sums, std::int64_t count, int columns, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((columns + sum_columns - 1) / sum_columns);
  add_rows<<<blocks, dim3(sum_columns, sum_rows), 0, stream>>>(rows, sums, count, columns);
}

void outer(const float* column, const float* row, float* result, std::int64_t rows, int columns,
           cudaStream_t stream) {
  const std::int64_t count = rows * (columns / 4);
  multiply_out<<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, stream>>>(
      column, reinterpret_cast<const float4*>(row), reinterpret_cast<float4*>(result), count, columns / 4);
}

namespace {

dim3 slices(const Norm& norm) {
  return {static_cast<unsigned>(norm.images), static_cast<unsigned>(norm.channels / slice)};
}

}  // namespace

template <class Number>
void relu_group_norm(const Norm& norm, const Number* x, const float* bias, const float* gamma,
                     const float* beta, Number* y, float* means, float* statistics, cudaStream_t stream) {
  for_pixels<sizeof(Number) == 2 ? 13 : 0>(norm.pixels, [&](auto block, auto kept) {
    const auto kernel = y == nullptr ? norm_forward<Number, true, block(), kept()>
                                     : norm_forward<Number, false, block(), kept()>;
    kernel<<<slices(norm), block(), 0, stream>>>(norm, x, bias, gamma, beta, y, means, statistics);
  });
}
template void relu_group_norm<float>(const Norm&, const float*, const float*, const float*, const float*,
                                     float*, float*, float*, cudaStream_t);
template void relu_group_norm<__half>(const Norm&, const __half*, const float*, const float*, const float*,
                                      __half*, float*, float*, cudaStream_t);

template <class Number>
void relu_group_norm_backward(const Norm& norm, const Number* x, const float* bias, const float* gamma,
                              const float* statistics, const Number* dy, const float* dmeans, Number* dx,
                              float* sums, cudaStream_t stream) {
  for_pixels<0>(norm.pixels, [&](auto block, auto kept) {
    const auto kernel = dy == nullptr ? norm_backward<Number, true, block(), kept()>
                                      : norm_backward<Number, false, block(), kept()>;
    kernel<<<slices(norm), block(), 0, stream>>>(norm, x, bias, gamma, statistics, dy, dmeans, dx, sums);
  });
}
template void relu_group_norm_backward<float>(const Norm&, const float*, const float*, const float*,
                                              const float*, const float*, const float*, float*, float*,
                                              cudaStream_t);
template void relu_group_norm_backward<__half>(const Norm&, const __half*, const float*, const float*,
                                               const float*, const __half*, const float*, __half*, float*,
                                               cudaStream_t);

template <class Number>
void windows(const Windows& windows, const Number* images, Number* rows, cudaStream_t stream) {
  lay_windows<Number><<<dim3(static_cast<unsigned>(windows.images), blocks_an_image), threads, 0, stream>>>(
      windows, windows.down(), windows.across(), images, rows);
}
template void windows<float>(const Windows&, const float*, float*, cudaStream_t);
template void windows<__half>(const Windows&, const __half*, __half*, cudaStream_t);

void first_layer(const FirstLayer& layer, const __half* images, const float* weight, const float* bias,
                 const float* gamma, const float* beta, __half* x, __half* y, float* statistics,
                 cudaStream_t stream) {
  const auto places = static_cast<std::size_t>((layer.height + 2) * (layer.width + 2));
  const auto pixels = static_cast<std::size_t>(layer.height * layer.width);
  const std::size_t shared = places * sizeof(__half2) + pixels * sizeof(unsigned short);
  const auto launch = [&](auto warps, std::int64_t blocks) {
    convolve_relu_norm<warps()><<<static_cast<unsigned>(blocks), warps() * lanes_a_warp, shared, stream>>>(
        layer, images, weight, bias, gamma, beta, x, y, statistics);
  };
  if (layer.images <= layer.multiprocessors) {
    launch(std::integral_constant<int, 14>{}, layer.images);
  } else {
    launch(std::integral_constant<int, 7>{}, std::min<std::int64_t>(layer.images, 2 * layer.multiprocessors));
  }
}

void moments(const Risks& risks, const float* logits, const float* labels, const std::int64_t* kinds,
             double* partials, double* moments, cudaStream_t stream) {
  static_assert(risk_blocks == lanes_a_warp);
  find_moments<<<dim3(risk_blocks, static_cast<unsigned>(risks.environments)), threads, 0, stream>>>(
      risks, logits, labels, kinds, partials);
  add_moments<<<static_cast<unsigned>(risks.environments), lanes_a_warp, 0, stream>>>(risks, partials,
                                                                                      moments);
}

void moment_slopes(const Risks& risks, const float* logits, const float* labels, const std::int64_t* kinds,
                   int objectives, const double* by_first, const double* by_second, float* slopes,
                   cudaStream_t stream) {
  find_moment_slopes<<<static_cast<unsigned>((risks.rows + threads - 1) / threads), threads, 0, stream>>>(
      risks, logits, labels, kinds, objectives, by_first, by_second, slopes);
}

void scale_for_half(const float* numbers, std::int64_t count, float* scaled, float* factor,
                    cudaStream_t stream) {
  scale_all<<<1, scale_threads, 0, stream>>>(numbers, count, scaled, factor);
}

template <class Number>
void gather(Parts parts, const float* factor, Number* to, cudaStream_t stream) {
  int blocks = 0;
  for (int i = 0; i < parts.count; ++i) {
    parts.all[i].first_block = blocks;
    blocks += static_cast<int>((parts.all[i].count + numbers_a_block - 1) / numbers_a_block);
  }
  gather_parts<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(parts, factor, to);
}
template void gather<float>(Parts, const float*, float*, cudaStream_t);
template void gather<__half>(Parts, const float*, __half*, cudaStream_t);

void rows_in_half(const float* numbers, std::int64_t row_size, const std::int64_t* rows, std::int64_t count,
                  __half* to, cudaStream_t stream) {
  take_rows_in_half<<<dim3(static_cast<unsigned>(count), blocks_an_image), threads, 0, stream>>>(
      numbers, row_size, rows, to);
}

}  // namespace pair::device::cuda

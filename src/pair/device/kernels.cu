#include "pair/device/kernels.cuh"

namespace pair::device::cuda {
namespace {

constexpr int threads = 256;

struct Totals {
  double squares;  // g . g
  double along;    // g . v
};

// The block's sum of both numbers, for every thread of it.
__device__ Totals block_sum(Totals mine) {
  __shared__ double squares[threads];
  __shared__ double along[threads];
  squares[threadIdx.x] = mine.squares;
  along[threadIdx.x] = mine.along;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) {
      squares[threadIdx.x] += squares[threadIdx.x + half];
      along[threadIdx.x] += along[threadIdx.x + half];
    }
  }
  __syncthreads();
  return {squares[0], along[0]};
}

__device__ Totals totals(const double* partials) {
  const int i = static_cast<int>(threadIdx.x);
  return block_sum(i < update_blocks ? Totals{partials[2 * i], partials[2 * i + 1]} : Totals{0.0, 0.0});
}

__device__ bool is_good(const Update& u, const Totals& all) {
  double sum = all.squares;
  for (int k = 0; k < u.loss_count; ++k) {
    sum += u.losses[k] * u.losses[k];
  }
  return isfinite(sum);
}

__global__ void sum_products(Update u) {
  Totals mine{0.0, 0.0};
  const bool velocity = u.second == nullptr && u.restart;
  for (std::int64_t i = blockIdx.x * threads + threadIdx.x; i < u.count; i += update_blocks * threads) {
    const double g = u.gradient[i];
    mine.squares += g * g;
    mine.along += velocity ? g * u.first[i] : 0.0;
  }
  mine = block_sum(mine);
  if (threadIdx.x == 0) {
    u.partials[2 * blockIdx.x] = mine.squares;
    u.partials[2 * blockIdx.x + 1] = mine.along;
  }
}

constexpr double beta1 = 0.9;
constexpr double beta2 = 0.999;
constexpr float adam_epsilon = 1e-8F;

__global__ void take_step(Update u) {
  const Totals all = totals(u.partials);
  const bool good = is_good(u, all);
  const bool adam = u.second != nullptr;
  const float kept = u.restart && all.along < 0.0 ? 0.0F : u.momentum;
  const double lr = *u.lr * u.tally[3];
  const float rate = static_cast<float>(adam ? lr / (1.0 - u.decays[0] * beta1) : lr);
  const float root = adam ? static_cast<float>(1.0 / sqrt(1.0 - u.decays[1] * beta2)) : 0.0F;
  for (std::int64_t i = blockIdx.x * threads + threadIdx.x; i < u.count; i += update_blocks * threads) {
    if (!good) {
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
      const float square =
          static_cast<float>(beta2) * u.second[i] + static_cast<float>(1.0 - beta2) * g * g;
      u.first[i] = mean;
      u.second[i] = square;
      u.parameters[i] = p - rate * mean / (sqrtf(square) * root + adam_epsilon);
    } else {
      const float v = kept * u.first[i] + g;
      u.first[i] = v;
      u.parameters[i] = p - rate * v;
    }
  }
}

// After all blocks of take_step have read the tally.
__global__ void keep_tally(Update u) {
  const Totals all = totals(u.partials);
  if (threadIdx.x != 0) {
    return;
  }
  if (!is_good(u, all)) {
    u.tally[1] += 1.0;
    u.tally[2] += 1.0;
    u.tally[3] *= 0.5;
    return;
  }
  u.tally[2] = 0.0;
  if (u.second != nullptr) {
    u.decays[0] *= beta1;
    u.decays[1] *= beta2;
  } else if (u.restart && all.along < 0.0) {
    u.tally[0] += 1.0;
  }
}

constexpr int lanes = 4;         // rows that a block works on side by side
constexpr int quads = threads / lanes;  // groups of four columns likewise

__global__ void relu_back(const float4* gradient, const float4* output, float4* g, float4* partials,
                          std::int64_t rows, int columns) {
  __shared__ float4 sums[lanes][quads];
  const int quad = static_cast<int>(threadIdx.x) % quads;
  const int lane = static_cast<int>(threadIdx.x) / quads;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * relu_rows_a_block;
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

constexpr int norm_threads = 512;
constexpr int most_groups = 32;

// One block an image. A thread has four neighbouring channels, all of one group, of every stride-th pixel;
// the image is read twice, the second time from the cache.
template <class Number>
__global__ void __launch_bounds__(norm_threads)
    norm_forward(Norm norm, const Number* x, const float* bias, const float* gamma, const float* beta,
                 Number* y, float* statistics) {
  __shared__ float2 sums[norm_threads];
  __shared__ float2 of_group[most_groups];
  const int quads_a_pixel = norm.channels / 4;
  const int stride = norm_threads / quads_a_pixel;
  const int channel = 4 * (static_cast<int>(threadIdx.x) % quads_a_pixel);
  const int first = static_cast<int>(threadIdx.x) / quads_a_pixel;
  const int group_channels = norm.channels / norm.groups;
  const std::int64_t image = static_cast<std::int64_t>(blockIdx.x) * norm.pixels * norm.channels;
  const Four b = load(bias + channel);

  float sum = 0.0F;
  float squares = 0.0F;
  for (int pixel = first; pixel < norm.pixels && first < stride; pixel += stride) {
    const Four v = load(x + image + static_cast<std::int64_t>(pixel) * norm.channels + channel);
    for (int i = 0; i < 4; ++i) {
      const float r = fmaxf(v.at[i] + b.at[i], 0.0F);
      sum += r;
      squares += r * r;
    }
  }
  sums[threadIdx.x] = {sum, squares};
  __syncthreads();
  if (static_cast<int>(threadIdx.x) < norm.groups) {
    const int quads_a_group = group_channels / 4;
    const int quad = static_cast<int>(threadIdx.x) * quads_a_group;
    double all = 0.0;
    double all_squares = 0.0;
    for (int row = 0; row < stride; ++row) {
      for (int q = quad; q < quad + quads_a_group; ++q) {
        all += sums[row * quads_a_pixel + q].x;
        all_squares += sums[row * quads_a_pixel + q].y;
      }
    }
    const double count = static_cast<double>(norm.pixels) * group_channels;
    const double mean = all / count;
    const double variance = fmax(all_squares / count - mean * mean, 0.0);
    const float2 found = {static_cast<float>(mean), static_cast<float>(1.0 / sqrt(variance + norm.epsilon))};
    of_group[threadIdx.x] = found;
    reinterpret_cast<float2*>(statistics)[blockIdx.x * norm.groups + threadIdx.x] = found;
  }
  __syncthreads();

  const float2 mine = of_group[channel / group_channels];
  Four scale = load(gamma + channel);
  Four shift = load(beta + channel);
  for (int i = 0; i < 4; ++i) {
    scale.at[i] *= mine.y;
    shift.at[i] -= mine.x * scale.at[i];
  }
  for (int pixel = first; pixel < norm.pixels && first < stride; pixel += stride) {
    const std::int64_t at = image + static_cast<std::int64_t>(pixel) * norm.channels + channel;
    Four v = load(x + at);
    for (int i = 0; i < 4; ++i) {
      v.at[i] = fmaxf(v.at[i] + b.at[i], 0.0F) * scale.at[i] + shift.at[i];
    }
    store(y + at, v);
  }
}

// With r = relu(x + bias), n = (r - mean) / deviation and d = gamma dy:
//     dr = (d - mean(d) - n mean(d n)) / deviation,  means over the group.
__global__ void __launch_bounds__(norm_threads)
    norm_backward(Norm norm, const float* x, const float* bias, const float* gamma, const float* statistics,
                  const float* dy, float* dx, float* sums) {
  __shared__ float4 of_threads[2][norm_threads];
  __shared__ float2 of_quad[norm_threads];
  __shared__ float2 of_group[most_groups];
  const int quads_a_pixel = norm.channels / 4;
  const int stride = norm_threads / quads_a_pixel;
  const int quad = static_cast<int>(threadIdx.x) % quads_a_pixel;
  const int channel = 4 * quad;
  const int first = static_cast<int>(threadIdx.x) / quads_a_pixel;
  const int group_channels = norm.channels / norm.groups;
  const int group = channel / group_channels;
  const std::int64_t image = static_cast<std::int64_t>(blockIdx.x) * norm.pixels * norm.channels;
  const Four b = load(bias + channel);
  const Four scale = load(gamma + channel);
  const float2 moments = reinterpret_cast<const float2*>(statistics)[blockIdx.x * norm.groups + group];
  float* const image_sums = sums + static_cast<std::int64_t>(blockIdx.x) * 3 * norm.channels;

  Four plain = {{0.0F, 0.0F, 0.0F, 0.0F}};
  Four along = {{0.0F, 0.0F, 0.0F, 0.0F}};
  for (int pixel = first; pixel < norm.pixels && first < stride; pixel += stride) {
    const std::int64_t at = image + static_cast<std::int64_t>(pixel) * norm.channels + channel;
    const Four v = load(x + at);
    const Four d = load(dy + at);
    for (int i = 0; i < 4; ++i) {
      const float n = (fmaxf(v.at[i] + b.at[i], 0.0F) - moments.x) * moments.y;
      plain.at[i] += d.at[i];
      along.at[i] += d.at[i] * n;
    }
  }
  const auto sum_over_rows = [&](int which, Four mine) {
    of_threads[which][threadIdx.x] = {mine.at[0], mine.at[1], mine.at[2], mine.at[3]};
    __syncthreads();
    Four all = {{0.0F, 0.0F, 0.0F, 0.0F}};
    if (static_cast<int>(threadIdx.x) < quads_a_pixel) {
      for (int row = 0; row < stride; ++row) {
        const float4 part = of_threads[which][row * quads_a_pixel + quad];
        all.at[0] += part.x;
        all.at[1] += part.y;
        all.at[2] += part.z;
        all.at[3] += part.w;
      }
    }
    return all;
  };
  const Four all_plain = sum_over_rows(0, plain);
  const Four all_along = sum_over_rows(1, along);
  if (static_cast<int>(threadIdx.x) < quads_a_pixel) {
    store(image_sums + channel, all_along);                 // gamma's
    store(image_sums + norm.channels + channel, all_plain);  // beta's
    float2 weighted = {0.0F, 0.0F};
    for (int i = 0; i < 4; ++i) {
      weighted.x += scale.at[i] * all_plain.at[i];
      weighted.y += scale.at[i] * all_along.at[i];
    }
    of_quad[quad] = weighted;
  }
  __syncthreads();
  if (static_cast<int>(threadIdx.x) < norm.groups) {
    const int quads_a_group = group_channels / 4;
    const float count = static_cast<float>(norm.pixels) * static_cast<float>(group_channels);
    float2 all = {0.0F, 0.0F};
    for (int q = 0; q < quads_a_group; ++q) {
      all.x += of_quad[static_cast<int>(threadIdx.x) * quads_a_group + q].x;
      all.y += of_quad[static_cast<int>(threadIdx.x) * quads_a_group + q].y;
    }
    of_group[threadIdx.x] = {all.x / count, all.y / count};
  }
  __syncthreads();

  const float2 means = of_group[group];
  Four of_bias = {{0.0F, 0.0F, 0.0F, 0.0F}};
  for (int pixel = first; pixel < norm.pixels && first < stride; pixel += stride) {
    const std::int64_t at = image + static_cast<std::int64_t>(pixel) * norm.channels + channel;
    const Four v = load(x + at);
    Four d = load(dy + at);
    for (int i = 0; i < 4; ++i) {
      const float before = v.at[i] + b.at[i];
      const float n = (fmaxf(before, 0.0F) - moments.x) * moments.y;
      const float dr = (scale.at[i] * d.at[i] - means.x - n * means.y) * moments.y;
      d.at[i] = before > 0.0F ? dr : 0.0F;
      of_bias.at[i] += d.at[i];
    }
    store(dx + at, d);
  }
  __syncthreads();
  const Four all_bias = sum_over_rows(0, of_bias);
  if (static_cast<int>(threadIdx.x) < quads_a_pixel) {
    store(image_sums + 2 * norm.channels + channel, all_bias);
  }
}

}  // namespace

void update(const Update& update, cudaStream_t stream) {
  sum_products<<<update_blocks, threads, 0, stream>>>(update);
  take_step<<<update_blocks, threads, 0, stream>>>(update);
  keep_tally<<<1, threads, 0, stream>>>(update);
}

void relu_backward(const float* gradient, const float* output, float* g, float* partials, std::int64_t rows,
                   int columns, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((rows + relu_rows_a_block - 1) / relu_rows_a_block);
  relu_back<<<blocks, threads, 0, stream>>>(
      reinterpret_cast<const float4*>(gradient), reinterpret_cast<const float4*>(output),
      reinterpret_cast<float4*>(g), reinterpret_cast<float4*>(partials), rows, columns / 4);
}

template <class Number>
void relu_group_norm(const Norm& norm, const Number* x, const float* bias, const float* gamma,
                     const float* beta, Number* y, float* statistics, cudaStream_t stream) {
  norm_forward<<<static_cast<unsigned>(norm.images), norm_threads, 0, stream>>>(norm, x, bias, gamma, beta, y,
                                                                               statistics);
}
template void relu_group_norm<float>(const Norm&, const float*, const float*, const float*, const float*,
                                     float*, float*, cudaStream_t);
template void relu_group_norm<__half>(const Norm&, const __half*, const float*, const float*, const float*,
                                      __half*, float*, cudaStream_t);

void relu_group_norm_backward(const Norm& norm, const float* x, const float* bias, const float* gamma,
                              const float* statistics, const float* dy, float* dx, float* sums,
                              cudaStream_t stream) {
  norm_backward<<<static_cast<unsigned>(norm.images), norm_threads, 0, stream>>>(norm, x, bias, gamma,
                                                                                statistics, dy, dx, sums);
}

}  // namespace pair::device::cuda

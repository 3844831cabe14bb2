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
  for (std::int64_t i = blockIdx.x * threads + threadIdx.x; i < u.count; i += gridDim.x * threads) {
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
  if (u.tally[2] < u.patience) {  // else it is over, whenever the host looks
    u.tally[2] = 0.0;
  }
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

__device__ float held(float v, const float* /*in*/) {
  return v;
}
// What 16 bits hold: an infinity would make the whole step's gradient useless.
__device__ float held(float v, const __half* /*in*/) {
  return fminf(fmaxf(v, -65504.0F), 65504.0F);
}
template <class Number>
__device__ Four held(Four v, const Number* in) {
  for (float& number : v.at) {
    number = held(number, in);
  }
  return v;
}

constexpr int slice = 32;  // channels of a block, whole groups of them
constexpr int slice_quads = slice / 4;
constexpr int norm_threads = 256;
constexpr int pixels_at_once = norm_threads / slice_quads;

// Where a thread of a normalisation stands: four neighbouring channels, all of one group, of every so many
// pixels of an image. The image is read twice, the second time from the cache.
struct Place {
  int quad;      // of the slice
  int first;     // pixel
  int channel;   // the first of four
  int groups;    // of the slice
  int group;     // of the slice, the thread's
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

// Each quad's sum over the block's threads, for the first thread of the quad.
__device__ Four sum_over_pixels(const Place& place, const Four& mine) {
  __shared__ float4 parts[norm_threads];
  __syncthreads();
  parts[threadIdx.x] = {mine.at[0], mine.at[1], mine.at[2], mine.at[3]};
  __syncthreads();
  Four all = {{0.0F, 0.0F, 0.0F, 0.0F}};
  if (place.first == 0) {
    for (int row = 0; row < pixels_at_once; ++row) {
      const float4 part = parts[row * slice_quads + place.quad];
      all.at[0] += part.x;
      all.at[1] += part.y;
      all.at[2] += part.z;
      all.at[3] += part.w;
    }
  }
  return all;
}

// pooled: only the mean over the pixels is written, [images, channels].
template <class Number, bool pooled>
__global__ void __launch_bounds__(norm_threads)
    norm_forward(Norm norm, const Number* x, const float* bias, const float* gamma, const float* beta,
                 Number* y, float* means, float* statistics) {
  __shared__ float2 of_quad[slice_quads];
  __shared__ float2 of_group[slice_quads];
  const Place place(norm);
  const Four b = load(bias + place.channel);
  Four sum = {{0.0F, 0.0F, 0.0F, 0.0F}};
  Four squares = sum;
  for (int pixel = place.first; pixel < norm.pixels; pixel += pixels_at_once) {
    const Four v = load(x + place.at(norm, pixel));
    for (int i = 0; i < 4; ++i) {
      const float r = fmaxf(v.at[i] + b.at[i], 0.0F);
      sum.at[i] += r;
      squares.at[i] += r * r;
    }
  }
  const Four all = sum_over_pixels(place, sum);
  const Four all_squares = sum_over_pixels(place, squares);
  if (place.first == 0) {
    of_quad[place.quad] = {all.at[0] + all.at[1] + all.at[2] + all.at[3],
                           all_squares.at[0] + all_squares.at[1] + all_squares.at[2] + all_squares.at[3]};
  }
  __syncthreads();
  if (static_cast<int>(threadIdx.x) < place.groups) {
    const int quads = slice_quads / place.groups;
    double total = 0.0;
    double total_squares = 0.0;
    for (int q = 0; q < quads; ++q) {
      total += of_quad[static_cast<int>(threadIdx.x) * quads + q].x;
      total_squares += of_quad[static_cast<int>(threadIdx.x) * quads + q].y;
    }
    const double count = static_cast<double>(norm.pixels) * 4.0 * quads;
    const double mean = total / count;
    const double variance = fmax(total_squares / count - mean * mean, 0.0);
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
  if (pooled) {
    if (place.first == 0) {
      Four mean;
      for (int i = 0; i < 4; ++i) {
        mean.at[i] = all.at[i] / static_cast<float>(norm.pixels) * scale.at[i] + shift.at[i];
      }
      store(means + static_cast<std::int64_t>(blockIdx.x) * norm.channels + place.channel, mean);
    }
    return;
  }
  for (int pixel = place.first; pixel < norm.pixels; pixel += pixels_at_once) {
    Four v = load(x + place.at(norm, pixel));
    for (int i = 0; i < 4; ++i) {
      v.at[i] = fmaxf(v.at[i] + b.at[i], 0.0F) * scale.at[i] + shift.at[i];
    }
    store(y + place.at(norm, pixel), v);
  }
}

// With r = relu(x + bias), n = (r - mean) / deviation and d = gamma dy:
//     dr = (d - mean(d) - n mean(d n)) / deviation,  means over the group.
// pooled: dmeans is the gradient of the mean over the pixels, [images, channels].
template <class Number, bool pooled>
__global__ void __launch_bounds__(norm_threads)
    norm_backward(Norm norm, const Number* x, const float* bias, const float* gamma, const float* statistics,
                  const Number* dy, const float* dmeans, Number* dx, float* sums) {
  __shared__ float2 of_quad[slice_quads];
  __shared__ float2 of_group[slice_quads];
  const Place place(norm);
  const Four b = load(bias + place.channel);
  const Four scale = load(gamma + place.channel);
  const float2 moments = reinterpret_cast<const float2*>(statistics)[place.statistic + place.group];
  float* const image_sums = sums + static_cast<std::int64_t>(blockIdx.x) * 3 * norm.channels + place.channel;
  Four pooled_dy;
  if (pooled) {
    pooled_dy = load(dmeans + static_cast<std::int64_t>(blockIdx.x) * norm.channels + place.channel);
    for (int i = 0; i < 4; ++i) {
      pooled_dy.at[i] /= static_cast<float>(norm.pixels);
    }
  }
  const auto gradient = [&](int pixel) {
    return pooled ? pooled_dy : held(load(dy + place.at(norm, pixel)), dy);
  };

  Four plain = {{0.0F, 0.0F, 0.0F, 0.0F}};
  Four along = plain;
  for (int pixel = place.first; pixel < norm.pixels; pixel += pixels_at_once) {
    const Four v = load(x + place.at(norm, pixel));
    const Four d = gradient(pixel);
    for (int i = 0; i < 4; ++i) {
      const float n = (fmaxf(v.at[i] + b.at[i], 0.0F) - moments.x) * moments.y;
      plain.at[i] += d.at[i];
      along.at[i] += d.at[i] * n;
    }
  }
  const Four all_plain = sum_over_pixels(place, plain);
  const Four all_along = sum_over_pixels(place, along);
  if (place.first == 0) {
    store(image_sums, all_along);                  // gamma's
    store(image_sums + norm.channels, all_plain);  // beta's
    float2 weighted = {0.0F, 0.0F};
    for (int i = 0; i < 4; ++i) {
      weighted.x += scale.at[i] * all_plain.at[i];
      weighted.y += scale.at[i] * all_along.at[i];
    }
    of_quad[place.quad] = weighted;
  }
  __syncthreads();
  if (static_cast<int>(threadIdx.x) < place.groups) {
    const int quads = slice_quads / place.groups;
    const float count = static_cast<float>(norm.pixels) * 4.0F * static_cast<float>(quads);
    float2 all = {0.0F, 0.0F};
    for (int q = 0; q < quads; ++q) {
      all.x += of_quad[static_cast<int>(threadIdx.x) * quads + q].x;
      all.y += of_quad[static_cast<int>(threadIdx.x) * quads + q].y;
    }
    of_group[threadIdx.x] = {all.x / count, all.y / count};
  }
  __syncthreads();

  const float2 means = of_group[place.group];
  Four of_bias = {{0.0F, 0.0F, 0.0F, 0.0F}};
  for (int pixel = place.first; pixel < norm.pixels; pixel += pixels_at_once) {
    const Four v = load(x + place.at(norm, pixel));
    Four d = gradient(pixel);
    for (int i = 0; i < 4; ++i) {
      const float before = v.at[i] + b.at[i];
      const float n = (fmaxf(before, 0.0F) - moments.x) * moments.y;
      const float dr = (scale.at[i] * d.at[i] - means.x - n * means.y) * moments.y;
      d.at[i] = before > 0.0F ? held(dr, dx) : 0.0F;
      of_bias.at[i] += d.at[i];
    }
    store(dx + place.at(norm, pixel), d);
  }
  const Four all_bias = sum_over_pixels(place, of_bias);
  if (place.first == 0) {
    store(image_sums + 2 * norm.channels, all_bias);
  }
}

constexpr int sum_columns = 32;
constexpr int sum_rows = 16;

// One block for so many columns; its threads share the rows.
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

// A thread writes four numbers of a row. Where a row's numbers lie from the window's corner is the same for all
// rows, and divisions are dear: a table says it.
constexpr int most_columns = 256;
template <class Number>
__global__ void lay_windows(Windows w, int down, int across, const Number* images, Number* rows,
                            std::int64_t count) {
  __shared__ int offset[most_columns];
  __shared__ int2 shift[most_columns];
  const int area = w.side * w.side;
  for (int at = static_cast<int>(threadIdx.x); at < w.columns; at += threads) {
    const int y = at % area / w.side;
    const int x = at % w.side;
    // What fills a row up is seen nowhere.
    shift[at] = at < w.channels * area ? int2{x, y} : int2{-(1 << 20), 0};
    offset[at] = (at / area * w.height + y) * w.width + x;
  }
  __syncthreads();
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int quads = w.columns / 4;
  const std::int64_t row = i / quads;
  const int first = 4 * static_cast<int>(i - row * quads);
  const std::int64_t image = row / (across * down);
  const int place = static_cast<int>(row - image * (across * down));
  const int y = place / across * w.stride - w.padding;
  const int x = place % across * w.stride - w.padding;
  const Number* const corner = images + image * w.channels * w.height * w.width + y * w.width + x;
  Four four;
  for (int k = 0; k < 4; ++k) {
    const int2 s = shift[first + k];
    const bool inside = y + s.y >= 0 && y + s.y < w.height && x + s.x >= 0 && x + s.x < w.width;
    four.at[k] = inside ? number(corner[offset[first + k]]) : 0.0F;
  }
  store(rows + 4 * i, four);
}

constexpr int scale_threads = 1024;

__global__ void find_scale(const float* numbers, std::int64_t count, float* result) {
  __shared__ float largest[scale_threads];
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
    // So that neither the scale nor what it is undone by leaves the range of floats.
    const int places = max(min(1 - exponent, 100), -100);
    result[0] = ldexpf(1.0F, places);
    result[1] = ldexpf(1.0F, -places);
  }
}

}  // namespace

void update(const Update& update, cudaStream_t stream) {
  sum_products<<<update_blocks, threads, 0, stream>>>(update);
  const std::int64_t filled = (update.count + threads - 1) / threads;
  take_step<<<static_cast<unsigned>(filled < 1024 ? filled : 1024), threads, 0, stream>>>(update);
  keep_tally<<<1, threads, 0, stream>>>(update);
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
  if (y == nullptr) {
    norm_forward<Number, true>
        <<<slices(norm), norm_threads, 0, stream>>>(norm, x, bias, gamma, beta, y, means, statistics);
  } else {
    norm_forward<Number, false>
        <<<slices(norm), norm_threads, 0, stream>>>(norm, x, bias, gamma, beta, y, means, statistics);
  }
}
template void relu_group_norm<float>(const Norm&, const float*, const float*, const float*, const float*,
                                     float*, float*, float*, cudaStream_t);
template void relu_group_norm<__half>(const Norm&, const __half*, const float*, const float*, const float*,
                                      __half*, float*, float*, cudaStream_t);

template <class Number>
void relu_group_norm_backward(const Norm& norm, const Number* x, const float* bias, const float* gamma,
                              const float* statistics, const Number* dy, const float* dmeans, Number* dx,
                              float* sums, cudaStream_t stream) {
  const auto kernel = dy == nullptr ? norm_backward<Number, true> : norm_backward<Number, false>;
  kernel<<<slices(norm), norm_threads, 0, stream>>>(norm, x, bias, gamma, statistics, dy, dmeans, dx, sums);
}
template void relu_group_norm_backward<float>(const Norm&, const float*, const float*, const float*,
                                              const float*, const float*, const float*, float*, float*,
                                              cudaStream_t);
template void relu_group_norm_backward<__half>(const Norm&, const __half*, const float*, const float*,
                                               const float*, const __half*, const float*, __half*, float*,
                                               cudaStream_t);

template <class Number>
void windows(const Windows& windows, const Number* images, Number* rows, cudaStream_t stream) {
  const std::int64_t count =
      windows.images * windows.down() * windows.across() * static_cast<std::int64_t>(windows.columns / 4);
  lay_windows<Number><<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, stream>>>(
      windows, windows.down(), windows.across(), images, rows, count);
}
template void windows<float>(const Windows&, const float*, float*, cudaStream_t);
template void windows<__half>(const Windows&, const __half*, __half*, cudaStream_t);

void scale_for_half(const float* numbers, std::int64_t count, float* result, cudaStream_t stream) {
  find_scale<<<1, scale_threads, 0, stream>>>(numbers, count, result);
}

}  // namespace pair::device::cuda

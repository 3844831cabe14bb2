#include <type_traits>

#include "pair/device/block_sum.cuh"
#include "pair/device/four.cuh"
#include "pair/device/group_norm.cuh"

// Group normalisation after a ReLU, forward and backward.

namespace pair::device::cuda {
namespace {

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
  constexpr int warps = block / warp_size;
  __shared__ float parts[warps][count][slice];
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
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

// Grid: images by slices of 32 channels. A block of `block` threads handles one slice of one image.
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

// Grid: as norm_forward.
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

}  // namespace pair::device::cuda

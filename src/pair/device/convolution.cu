#include <algorithm>
#include <type_traits>

#include "pair/device/block_sum.cuh"
#include "pair/device/convolution.cuh"
#include "pair/device/four.cuh"

// Convolutions: the windows of images as rows of a matrix, and a first layer that needs no such matrix.

namespace pair::device::cuda {
namespace {

__device__ float number(float v) {
  return v;
}
__device__ float number(__half v) {
  return __half2float(v);
}

// Grid: images by blocks_per_image blocks of `threads`.
// Blocks of an image, whose threads write four numbers of a row at a time. The offsets from the window's
// corner are the same for all rows, and divisions are slow, so they are read from a table.
constexpr int most_columns = 256;
constexpr int blocks_per_image = 4;
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
       i += blocks_per_image * threads) {
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

// Grid: blocks of `warps` warps, each of which handles images at a stride of the grid.
// One image after another. A matrix product whose rows are 16 pixels, whose inner dimension is the nine
// places of the window times two channels (padded with zeros to 24), and whose columns are the 64 outputs,
// ordered so that a lane's are adjacent: lane t has 16 t to 16 t + 15, two whole groups. It is computed
// twice, for the statistics and for the normalised values, which is cheaper than storing it. warps: 28 x 28
// pixels are 7 x 7 x 16.
template <int warps>
__global__ void __launch_bounds__(warps* warp_size, 14 / warps)
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
  for (int i = static_cast<int>(threadIdx.x); i < pixels; i += warps * warp_size) {
    corners[i] = static_cast<unsigned short>(i / layer.width * across + i % layer.width);
  }
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
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
    for (int i = static_cast<int>(threadIdx.x); i < places; i += warps * warp_size) {
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
    for (int apart = 4; apart < warp_size; apart *= 2) {
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

}  // namespace

template <class Number>
void windows(const Windows& windows, const Number* images, Number* rows, cudaStream_t stream) {
  lay_windows<Number><<<dim3(static_cast<unsigned>(windows.images), blocks_per_image), threads, 0, stream>>>(
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
    convolve_relu_norm<warps()><<<static_cast<unsigned>(blocks), warps() * warp_size, shared, stream>>>(
        layer, images, weight, bias, gamma, beta, x, y, statistics);
  };
  if (layer.images <= layer.multiprocessors) {
    launch(std::integral_constant<int, 14>{}, layer.images);
  } else {
    launch(std::integral_constant<int, 7>{}, std::min<std::int64_t>(layer.images, 2 * layer.multiprocessors));
  }
}

}  // namespace pair::device::cuda

#include "pair/device/head_parts.cuh"
#include "pair/device/losses.cuh"

// The forward pass at the head: logits, the moments of each environment's loss, and their gradients in the head.

namespace pair::device::cuda {
namespace {

__device__ float dot(const float4& a, const float4& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// A warp holds a row of features in the registers of its lanes, four numbers per lane and vector, several
// rows at a time to hide memory latency, and accumulates its columns of the moments' gradients. Lanes beyond
// the last column see zeros. For derivatives of halves, the even and odd rows of an environment are at even
// and odd places of a warp's registers.
//
// Grid: head.blocks blocks by environments, of `threads` threads; each block takes every head.blocks-th group
// of rows.
template <int outputs, int vectors, int parts>
__global__ void __launch_bounds__(threads) forward_moments(Head head, HeadWork work) {
  constexpr int together = outputs * vectors <= 2 ? 4 : outputs * vectors <= 4 ? 2 : 1;
  constexpr int columns = vectors * lanes * 4;
  static_assert(parts == 2 || together % 2 == 0);
  __shared__ alignas(16) float sums[parts][outputs][columns];
  __shared__ float bias_sums[warps][parts][outputs];
  __shared__ double moment_sums[warps][parts];
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const int warp = static_cast<int>(threadIdx.x) / lanes;
  const int environment = static_cast<int>(blockIdx.y);
  const std::int64_t rows = head.rows / head.environments;
  const std::int64_t start = environment * rows;
  const int quads = head.width / 4;
  const float4* const features = reinterpret_cast<const float4*>(head.features);
  constexpr float4 nothing = {0.0F, 0.0F, 0.0F, 0.0F};

  float4 weight[outputs][vectors];
  float bias[outputs];
  float4 gradients[parts][outputs][vectors];
  float bias_gradients[2][outputs];
#pragma unroll
  for (int o = 0; o < outputs; ++o) {
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      const int quad = v * lanes + lane;
      weight[o][v] = quad < quads ? reinterpret_cast<const float4*>(head.weight)[o * quads + quad] : nothing;
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        gradients[part][o][v] = nothing;
      }
    }
    bias[o] = head.bias[o];
    bias_gradients[0][o] = bias_gradients[1][o] = 0.0F;
  }
  double loss = 0.0;
  double derivative = 0.0;

  // The last rows first: they were written last, and are still in the cache.
  constexpr int chunk_rows = warps * together;
  for (std::int64_t chunk = (rows - 1) / chunk_rows - blockIdx.x; chunk >= 0; chunk -= gridDim.x) {
    const std::int64_t i = chunk * chunk_rows + warp * together;
    float4 f[together][vectors];
    float z[together][outputs];
#pragma unroll
    for (int r = 0; r < together; ++r) {
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        const int quad = v * lanes + lane;
        f[r][v] = i + r < rows && quad < quads ? features[(start + i + r) * quads + quad] : nothing;
      }
    }
#pragma unroll
    for (int r = 0; r < together; ++r) {
#pragma unroll
      for (int o = 0; o < outputs; ++o) {
        z[r][o] = 0.0F;
#pragma unroll
        for (int v = 0; v < vectors; ++v) {
          z[r][o] += dot(f[r][v], weight[o][v]);
        }
      }
    }
#pragma unroll
    for (int apart = lanes / 2; apart > 0; apart /= 2) {
#pragma unroll
      for (int r = 0; r < together; ++r) {
#pragma unroll
        for (int o = 0; o < outputs; ++o) {
          z[r][o] += __shfl_xor_sync(0xffffffffU, z[r][o], apart);
        }
      }
    }
    // One lane computes the slopes of a row and broadcasts them.
    const int turn = lane % together;
    const std::int64_t row = start + i + turn;
    float mine[outputs];
    float first[outputs];
    float second[outputs];
#pragma unroll
    for (int o = 0; o < outputs; ++o) {
      mine[o] = bias[o];
#pragma unroll
      for (int r = 0; r < together; ++r) {
        mine[o] += r == turn ? z[r][o] : 0.0F;
      }
      first[o] = second[o] = 0.0F;
    }
    if (i + turn < rows) {
      const float label = head.labels != nullptr ? head.labels[row] : 0.0F;
      const std::int64_t kind = head.classes != nullptr ? head.classes[row] : 0;
      each_slope(head.loss, mine, outputs, label, kind, [&](int o, float by_loss, float by_derivative) {
        first[o] = by_loss;
        second[o] = by_derivative;
      });
      if (lane < together) {
        const float2 sample = sample_moments(head.loss, mine, outputs, label, kind);
        loss += sample.x;
        derivative += sample.y;
#pragma unroll
        for (int o = 0; o < outputs; ++o) {
          work.logits[row * outputs + o] = mine[o];
          bias_gradients[0][o] += first[o];
          bias_gradients[1][o] += second[o];
        }
      }
    }
#pragma unroll
    for (int r = 0; r < together; ++r) {
#pragma unroll
      for (int o = 0; o < outputs; ++o) {
        const float by_loss = __shfl_sync(0xffffffffU, first[o], r);
        const float by_derivative = __shfl_sync(0xffffffffU, second[o], r);
#pragma unroll
        for (int v = 0; v < vectors; ++v) {
          add(gradients[0][o][v], by_loss, f[r][v]);
          add(gradients[parts == 2 ? 1 : 1 + r % 2][o][v], by_derivative, f[r][v]);
        }
      }
    }
  }

  // The derivative D, or A in the even lanes and B in the odd ones.
  constexpr int derivatives = parts - 1;
#pragma unroll
  for (int o = 0; o < outputs; ++o) {
#pragma unroll
    for (int apart = together / 2; apart > 0; apart /= 2) {
      bias_gradients[0][o] += __shfl_down_sync(0xffffffffU, bias_gradients[0][o], apart);
      if (apart >= derivatives) {
        bias_gradients[1][o] += __shfl_down_sync(0xffffffffU, bias_gradients[1][o], apart);
      }
    }
  }
  loss = warp_sum(loss);
#pragma unroll
  for (int apart = lanes / 2; apart >= derivatives; apart /= 2) {
    derivative += __shfl_down_sync(0xffffffffU, derivative, apart);
  }
  if (lane < derivatives) {
    moment_sums[warp][1 + lane] = derivative;
#pragma unroll
    for (int o = 0; o < outputs; ++o) {
      bias_sums[warp][1 + lane][o] = bias_gradients[1][o];
    }
  }
  if (lane == 0) {
    moment_sums[warp][0] = loss;
#pragma unroll
    for (int o = 0; o < outputs; ++o) {
      bias_sums[warp][0][o] = bias_gradients[0][o];
    }
  }
  for (int turn = 0; turn < warps; ++turn) {
    if (warp == turn) {
#pragma unroll
      for (int which = 0; which < parts; ++which) {
#pragma unroll
        for (int o = 0; o < outputs; ++o) {
#pragma unroll
          for (int v = 0; v < vectors; ++v) {
            float4& at = reinterpret_cast<float4*>(sums[which][o])[v * lanes + lane];
            if (turn == 0) {
              at = gradients[which][o][v];
            } else {
              add(at, 1.0F, gradients[which][o][v]);
            }
          }
        }
      }
    }
    __syncthreads();
  }
  const std::int64_t block = static_cast<std::int64_t>(environment) * gridDim.x + blockIdx.x;
  float* const to = work.partials + block * parts * head.numbers;
  for (int i = static_cast<int>(threadIdx.x); i < parts * head.numbers; i += threads) {
    const int which = i / head.numbers;
    const int number = i % head.numbers;
    const int o = number / head.width;
    if (o < outputs) {
      to[i] = sums[which][o][number % head.width];
    } else {
      float sum = 0.0F;
      for (int w = 0; w < warps; ++w) {
        sum += bias_sums[w][which][number - outputs * head.width];
      }
      to[i] = sum;
    }
  }
  if (threadIdx.x < parts) {
    double sum = 0.0;
    for (int w = 0; w < warps; ++w) {
      sum += moment_sums[w][threadIdx.x];
    }
    work.moment_partials[parts * block + threadIdx.x] = sum;
  }
}

constexpr int sum_columns = 32;
constexpr int sum_rows = 16;

// The gradients of the moments: sums of the blocks, divided by the number of samples.
//
// Grid: one block per sum_columns columns, by environments; sum_rows rows of threads share a column's blocks.
__global__ void sum_moment_gradients(Head head, HeadWork work) {
  __shared__ double parts[sum_rows][sum_columns];
  const int environment = static_cast<int>(blockIdx.y);
  const int count = head.parts * head.numbers;
  const int column = static_cast<int>(blockIdx.x * sum_columns + threadIdx.x);
  const int blocks = head.blocks;
  double sum = 0.0;
  if (column < count) {
    for (int b = static_cast<int>(threadIdx.y); b < blocks; b += sum_rows) {
      sum += work.partials[(static_cast<std::int64_t>(environment) * blocks + b) * count + column];
    }
  }
  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && column < count) {
    for (int r = 1; r < sum_rows; ++r) {
      sum += parts[r][threadIdx.x];
    }
    const int which = column / head.numbers;
    const int number = column % head.numbers;
    work.sums[static_cast<std::int64_t>(which * head.environments + environment) * head.numbers + number] =
        sum / samples_of(head, which);
  }
}

}  // namespace

void moments_at_head(const Head& head, const HeadWork& work, cudaStream_t stream) {
  const auto environments = static_cast<unsigned>(head.environments);
  for_shape(head, [&](auto outputs, auto vectors) {
    const auto launch = [&](const auto& kernel) {
      kernel<<<dim3(static_cast<unsigned>(head.blocks), environments), threads, 0, stream>>>(head, work);
    };
    if constexpr (takes_halves(outputs())) {
      if (head.parts == 3) {
        return launch(forward_moments<outputs(), vectors(), 3>);
      }
    }
    launch(forward_moments<outputs(), vectors(), 2>);
  });
  const auto columns = static_cast<unsigned>((head.parts * head.numbers + sum_columns - 1) / sum_columns);
  sum_moment_gradients<<<dim3(columns, environments), dim3(sum_columns, sum_rows), 0, stream>>>(head, work);
}

}  // namespace pair::device::cuda

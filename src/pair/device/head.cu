#include <type_traits>

#include "pair/device/head.cuh"
#include "pair/device/losses.cuh"

namespace pair::device::cuda {
namespace {

constexpr int threads = 256;
constexpr int lanes = 32;
constexpr int warps = threads / lanes;

__device__ float dot(const float4& a, const float4& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
__device__ void add(float4& sum, float by, const float4& v) {
  sum.x += by * v.x;
  sum.y += by * v.y;
  sum.z += by * v.z;
  sum.w += by * v.w;
}

__device__ double warp_sum(double mine) {
  for (int apart = lanes / 2; apart > 0; apart /= 2) {
    mine += __shfl_down_sync(0xffffffffU, mine, apart);
  }
  return mine;
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

// The number of samples of an environment that a moment averages.
__device__ double samples_of(const Head& head, int part) {
  const std::int64_t rows = head.rows / head.environments;
  return static_cast<double>(part == 0 || head.parts == 2 ? rows : part == 1 ? (rows + 1) / 2 : rows / 2);
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

// The objective's value, and its slopes in the moments: R_e, then D_e or A_e and B_e.
__device__ double evaluate(const MomentFunction& function, const double* moments, int environments, int parts,
                           double* slopes) {
  using Kind = MomentFunction::Kind;
  using Negative = MomentFunction::Negative;
  const auto count = static_cast<double>(environments);
  for (int i = 0; i < parts * environments; ++i) {
    slopes[i] = 0.0;
  }
  double sum = 0.0;
  if (function.kind == Kind::mean_product_of_halves) {
    const double* const a = moments + environments;
    const double* const b = a + environments;
    for (int e = 0; e < environments; ++e) {
      sum += a[e] * b[e];
    }
    const double mean = sum / count;
    const bool scaled = function.negative == Negative::scale && mean < 0.0;
    const double by = scaled ? -function.constant : 1.0;
    for (int e = 0; e < environments; ++e) {
      slopes[environments + e] = by * b[e] / count;
      slopes[2 * environments + e] = by * a[e] / count;
    }
    return function.negative == Negative::shift ? mean + fmax(-mean, function.constant) : by * mean;
  }
  if (function.kind == Kind::mean_squared_derivative) {
    for (int e = environments; e < 2 * environments; ++e) {
      sum += moments[e] * moments[e];
      slopes[e] = 2.0 * moments[e] / count;
    }
    return sum / count;
  }
  for (int e = 0; e < environments; ++e) {
    sum += moments[e];
    slopes[e] = 1.0 / count;
  }
  const double mean = sum / count;
  if (function.kind == Kind::mean_risk) {
    return mean;
  }
  double squares = 0.0;
  for (int e = 0; e < environments; ++e) {
    const double apart = moments[e] - mean;
    squares += apart * apart;
    slopes[e] = environments > 1 ? 2.0 * apart / (count - 1.0) : 0.0;
  }
  return environments > 1 ? squares / (count - 1.0) : 0.0;
}

// Takes the batch's moments [all], in shared memory, into the averages, and replaces them by these. The
// arithmetic is that of train::TrackedMoments::updated. For all threads of a block.
__device__ void average(const Averages& state, double* moments, int all) {
  const int thread = static_cast<int>(threadIdx.x);
  const double before = *state.steps;
  if (thread < all) {
    const double share = fmax(1.0 / (before + 1.0), 1.0 / state.window);
    const double share_of_squares = fmin(fmax(1.0 / before, 1.0 / state.squares_window), 1.0);
    const double difference = moments[thread] - state.averages[thread];
    const double deviation = isfinite(difference) ? difference : 0.0;
    state.squares[thread] += share_of_squares * (deviation * deviation - state.squares[thread]);
    state.averages[thread] += deviation * share;
    moments[thread] = state.averages[thread];
  }
  __syncthreads();
  if (thread == 0) {
    *state.steps = before + 1.0;
  }
}

// The moments, the objectives and their slopes, their gradients in the head, and the Gram matrix of those.
//
// Grid: one block, since every later number needs all earlier ones.
template <int count>
__global__ void __launch_bounds__(threads)
    objectives_and_gram(Head head, Objectives objectives, HeadWork work) {
  constexpr int pairs = count * (count + 1) / 2;
  __shared__ double moments[head_moments];
  __shared__ double slopes[count][head_moments];
  __shared__ double products[warps][pairs];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % lanes;
  const int warp = thread / lanes;
  const int all = head.parts * head.environments;
  const int blocks = head.blocks;
  for (int i = warp; i < all; i += warps) {
    const int which = i / head.environments;
    const int environment = i % head.environments;
    double sum = 0.0;
    for (int b = lane; b < blocks; b += lanes) {
      sum += work.moment_partials[head.parts * (environment * blocks + b) + which];
    }
    sum = warp_sum(sum);
    if (lane == 0) {
      moments[i] = sum / samples_of(head, which);
    }
  }
  __syncthreads();
  if (work.averages.steps != nullptr) {
    average(work.averages, moments, all);
  }
  if (thread < count) {
    work.readings[thread] =
        evaluate(objectives.all[thread], moments, head.environments, head.parts, slopes[thread]);
  }
  __syncthreads();
  for (int i = thread; i < count * all; i += threads) {
    work.by_moments[i] = slopes[i / all][i % all];
  }
  double mine[pairs] = {};
  for (int number = thread; number < head.numbers; number += threads) {
    double gradient[count] = {};
    for (int i = 0; i < all; ++i) {
      const double by = work.sums[static_cast<std::int64_t>(i) * head.numbers + number];
#pragma unroll
      for (int k = 0; k < count; ++k) {
        const double slope = slopes[k][i];
        gradient[k] += slope == 0.0 ? 0.0 : slope * by;
      }
    }
    int pair = 0;
#pragma unroll
    for (int k = 0; k < count; ++k) {
      work.by_head[k * head.numbers + number] = static_cast<float>(gradient[k]);
#pragma unroll
      for (int l = 0; l <= k; ++l) {
        mine[pair++] += gradient[k] * gradient[l];
      }
    }
  }
#pragma unroll
  for (int pair = 0; pair < pairs; ++pair) {
    const double sum = warp_sum(mine[pair]);
    if (lane == 0) {
      products[warp][pair] = sum;
    }
  }
  __syncthreads();
  if (thread < count * count) {
    const int k = max(thread / count, thread % count);
    const int l = min(thread / count, thread % count);
    double sum = 0.0;
    for (int w = 0; w < warps; ++w) {
      sum += products[w][k * (k + 1) / 2 + l];
    }
    work.readings[count + thread] = sum;
  }
  for (int i = thread; i < work.also_count; i += threads) {
    work.readings[count + count * count + i] = work.also[i];
  }
}

// Rows per block in the backward pass: few enough that a minibatch fills the card.
__host__ __device__ int back_rows(const Head& head) {
  return head.rows >= 16384 ? 128 : 16;
}
constexpr int most_back_rows = 128;

// The weighted gradient in the features and in the head's parameters.
//
// Grid: one block per back_rows rows, and one more, the last, for the head's parameters.
template <int outputs, bool rectified>
__global__ void __launch_bounds__(threads) backward(Head head, HeadBack back) {
  __shared__ float shares[head_moments];
  __shared__ float slopes[most_back_rows][outputs];
  __shared__ float4 sums[threads];
  const int thread = static_cast<int>(threadIdx.x);
  if (blockIdx.x + 1 == gridDim.x) {
    for (int number = thread; number < head.numbers; number += threads) {
      double sum = 0.0;
      for (int k = 0; k < back.objectives; ++k) {
        const double by = back.weights[k];
        sum += by == 0.0 ? 0.0 : by * back.by_head[k * head.numbers + number];
      }
      back.at_head[number] = static_cast<float>(sum);
    }
    return;
  }
  const std::int64_t rows = head.rows / head.environments;
  const int all = head.parts * head.environments;
  if (thread < all) {
    double sum = 0.0;
    for (int k = 0; k < back.objectives; ++k) {
      const double by = back.weights[k];
      sum += by == 0.0 ? 0.0 : by * back.by_moments[k * all + thread];
    }
    shares[thread] = static_cast<float>(sum / samples_of(head, thread / head.environments));
  }
  __syncthreads();
  const int block_rows = back_rows(head);
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * block_rows;
  const int end = static_cast<int>(min(static_cast<std::int64_t>(block_rows), head.rows - first_row));
  if (thread < end) {
    const std::int64_t row = first_row + thread;
    const int environment = static_cast<int>(row / rows);
    const int half = head.parts == 2 ? 0 : static_cast<int>((row - environment * rows) % 2);
    const float by_risk = shares[environment];
    const float by_derivative = shares[(1 + half) * head.environments + environment];
    float z[outputs];
#pragma unroll
    for (int o = 0; o < outputs; ++o) {
      z[o] = back.logits[row * outputs + o];
    }
    each_slope(head.loss, z, outputs, head.labels != nullptr ? head.labels[row] : 0.0F,
               head.classes != nullptr ? head.classes[row] : 0, [&](int o, float first, float second) {
                 // For an unbounded logit, one of the two may be NaN.
                 slopes[thread][o] = (by_risk == 0.0F ? 0.0F : by_risk * first) +
                                     (by_derivative == 0.0F ? 0.0F : by_derivative * second);
               });
  }
  __syncthreads();

  const int quads = head.width / 4;
  const int across = quads > lanes ? 2 * lanes : lanes;  // threads of the block per row, in columns
  const int down = threads / across;
  const int lane = thread / across;
  for (int first = 0; first < quads; first += across) {
    const int quad = first + thread % across;
    float4 sum = {0.0F, 0.0F, 0.0F, 0.0F};
    if (quad < quads) {
      float4 weight[outputs];
#pragma unroll
      for (int o = 0; o < outputs; ++o) {
        weight[o] = reinterpret_cast<const float4*>(head.weight)[o * quads + quad];
      }
#pragma unroll 4
      for (int r = lane; r < end; r += down) {
        const std::int64_t at = (first_row + r) * quads + quad;
        float4 g = {0.0F, 0.0F, 0.0F, 0.0F};
#pragma unroll
        for (int o = 0; o < outputs; ++o) {
          add(g, slopes[r][o], weight[o]);
        }
        if constexpr (rectified) {
          const float4 out = reinterpret_cast<const float4*>(head.features)[at];
          g.x = out.x > 0.0F ? g.x : 0.0F;
          g.y = out.y > 0.0F ? g.y : 0.0F;
          g.z = out.z > 0.0F ? g.z : 0.0F;
          g.w = out.w > 0.0F ? g.w : 0.0F;
          add(sum, 1.0F, g);
        }
        reinterpret_cast<float4*>(back.gradient)[at] = g;
      }
    }
    if constexpr (rectified) {
      sums[thread] = sum;
      __syncthreads();
      if (lane == 0 && quad < quads) {
        for (int other = 1; other < down; ++other) {
          add(sum, 1.0F, sums[other * across + thread]);
        }
        reinterpret_cast<float4*>(back.partials)[static_cast<std::int64_t>(blockIdx.x) * quads + quad] = sum;
      }
      __syncthreads();
    }
  }
}

// Calls run(outputs, vectors) with the numbers as constants.
template <class Run>
void for_shape(const Head& head, const Run& run) {
  constexpr int vector = lanes * 4;
  using std::integral_constant;
  if (head.outputs == 1 && head.width <= vector) {
    run(integral_constant<int, 1>{}, integral_constant<int, 1>{});
  } else if (head.outputs == 1 && head.width <= 2 * vector) {
    run(integral_constant<int, 1>{}, integral_constant<int, 2>{});
  } else if (head.outputs == 1) {
    run(integral_constant<int, 1>{}, integral_constant<int, 4>{});
  } else if (head.outputs == 2 && head.width <= vector) {
    run(integral_constant<int, 2>{}, integral_constant<int, 1>{});
  } else if (head.outputs == 2) {
    run(integral_constant<int, 2>{}, integral_constant<int, 2>{});
  } else {
    run(integral_constant<int, 10>{}, integral_constant<int, 1>{});
  }
}

}  // namespace

void at_head(const Head& head, const Objectives& objectives, const HeadWork& work, cudaStream_t stream) {
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
  static_assert(head_objectives == 4);
  const auto kernel = objectives.count == 1   ? objectives_and_gram<1>
                      : objectives.count == 2 ? objectives_and_gram<2>
                      : objectives.count == 3 ? objectives_and_gram<3>
                                              : objectives_and_gram<4>;
  kernel<<<1, threads, 0, stream>>>(head, objectives, work);
}

int head_back_blocks(const Head& head) {
  return static_cast<int>((head.rows + back_rows(head) - 1) / back_rows(head));
}

void head_back(const Head& head, const HeadBack& back, cudaStream_t stream) {
  const unsigned blocks = back.gradient == nullptr ? 1U : static_cast<unsigned>(head_back_blocks(head)) + 1U;
  for_shape(head, [&](auto outputs, auto /*vectors*/) {
    const auto kernel = back.partials != nullptr ? backward<outputs(), true> : backward<outputs(), false>;
    kernel<<<blocks, threads, 0, stream>>>(head, back);
  });
}

}  // namespace pair::device::cuda

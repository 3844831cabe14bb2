#include "pair/device/head_parts.cuh"
#include "pair/device/losses.cuh"

// The backward pass at the head, of the weighted objectives.

namespace pair::device::cuda {
namespace {

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

}  // namespace

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

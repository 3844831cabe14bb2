#include "pair/device/head_parts.cuh"

// The objectives as functions of the moments, their gradients in the head, and the Gram matrix of those.

namespace pair::device::cuda {
namespace {

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

}  // namespace

void objectives_at_head(const Head& head, const Objectives& objectives, const HeadWork& work,
                        cudaStream_t stream) {
  static_assert(head_objectives == 4);
  const auto kernel = objectives.count == 1   ? objectives_and_gram<1>
                      : objectives.count == 2 ? objectives_and_gram<2>
                      : objectives.count == 3 ? objectives_and_gram<3>
                                              : objectives_and_gram<4>;
  kernel<<<1, threads, 0, stream>>>(head, objectives, work);
}

}  // namespace pair::device::cuda

#include "pair/device/block_sum.cuh"
#include "pair/device/losses.cuh"
#include "pair/device/moments.cuh"

// The moments of each environment's loss, and the gradients of functions of them in the logits.

namespace pair::device::cuda {
namespace {

// Grid: risk_blocks by environments, blocks of `threads`. Writes one partial sum per block.
__global__ void find_moments(Risks risks, const float* logits, const float* labels,
                             const std::int64_t* classes, double* partials) {
  const std::int64_t rows = risks.rows / risks.environments;
  const std::int64_t start = blockIdx.y * rows;
  Totals sums{0.0, 0.0};
  for (std::int64_t i = blockIdx.x * threads + threadIdx.x; i < rows; i += risk_blocks * threads) {
    const std::int64_t row = start + i;
    const float2 sample =
        sample_moments(risks.loss, logits + row * risks.outputs, risks.outputs,
                       labels != nullptr ? labels[row] : 0.0F, classes != nullptr ? classes[row] : 0);
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

// Grid: one block per environment, which is one warp.
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

// Grid: one row per thread.
__global__ void find_moment_slopes(Risks risks, const float* logits, const float* labels,
                                   const std::int64_t* classes, int objectives, const double* by_first,
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
             classes != nullptr ? classes[row] : 0, [&](int output, float first, float second) {
               for (int k = 0; k < objectives; ++k) {
                 slopes[(k * risks.rows + row) * risks.outputs + output] =
                     share(by_first, k) * first + share(by_second, k) * second;
               }
             });
}

}  // namespace

void moments(const Risks& risks, const float* logits, const float* labels, const std::int64_t* classes,
             double* partials, double* moments, cudaStream_t stream) {
  static_assert(risk_blocks == warp_size);
  find_moments<<<dim3(risk_blocks, static_cast<unsigned>(risks.environments)), threads, 0, stream>>>(
      risks, logits, labels, classes, partials);
  add_moments<<<static_cast<unsigned>(risks.environments), warp_size, 0, stream>>>(risks, partials, moments);
}

void moment_slopes(const Risks& risks, const float* logits, const float* labels, const std::int64_t* classes,
                   int objectives, const double* by_first, const double* by_second, float* slopes,
                   cudaStream_t stream) {
  find_moment_slopes<<<static_cast<unsigned>((risks.rows + threads - 1) / threads), threads, 0, stream>>>(
      risks, logits, labels, classes, objectives, by_first, by_second, slopes);
}

}  // namespace pair::device::cuda

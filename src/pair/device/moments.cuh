#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "pair/device/loss.h"

// The kernel launches of moments.h (see kernels.h).

namespace pair::device::cuda {

// Logits [rows, outputs] of environments of equal size, in order. `labels`, or for cross-entropy `classes`, the
// classes; the other is null. moments [2, environments]: each environment's mean loss, and the mean of sum_k
// dl/dz_k z_k. partials: workspace of 2 * environments * risk_blocks.
inline constexpr int risk_blocks = 32;
struct Risks {
  Loss loss;
  std::int64_t rows;
  int outputs;
  int environments;
};
void moments(const Risks& risks, const float* logits, const float* labels, const std::int64_t* classes,
             double* partials, double* moments, cudaStream_t stream);
// The gradients in the logits, [objectives, rows, outputs], of functions with gradients by_first [objectives,
// environments] in the first moments and by_second in the second; null means zero.
void moment_slopes(const Risks& risks, const float* logits, const float* labels, const std::int64_t* classes,
                   int objectives, const double* by_first, const double* by_second, float* slopes,
                   cudaStream_t stream);

}  // namespace pair::device::cuda

#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

// The kernel launches of update.h (see kernels.h).

namespace pair::device::cuda {

inline constexpr int update_blocks = 128;
inline constexpr int update_workspace = 2 * update_blocks + 3;

struct Update {
  float* parameters;
  float* last_good;
  float* first;   // SGD's velocity, Adam's mean
  float* second;  // Adam's mean of squares; null for SGD
  const float* gradient;
  std::int64_t count;
  const double* losses;
  int loss_count;
  const double* lr;
  double* tally;      // restarts, rollbacks, in a row, halving
  double* decays;     // Adam: beta1^t, beta2^t
  double* workspace;  // [update_workspace]: zeros before the first step
  double beta1;       // Adam's decays
  double beta2;
  float momentum;
  bool restart;
  double patience;   // rollbacks in a row after which the run is over
  double shrinkage;  // factor of the learning rate after a step that is not taken
};
void update(const Update& update, cudaStream_t stream);

}  // namespace pair::device::cuda

#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "pair/device/loss.h"

// The kernel launches of head.h (see kernels.h).

namespace pair::device::cuda {

inline constexpr int head_environments = 16;
inline constexpr int head_objectives = 4;
inline constexpr int head_moments = 3 * head_environments;

struct Head {
  Loss loss;
  std::int64_t rows;
  int width;    // of a row of features, a multiple of 4
  int outputs;  // logits
  int environments;

  const float* features;
  const float* weight;
  const float* bias;
  const float* labels;          // null for cross-entropy
  const std::int64_t* classes;  // the classes; otherwise null

  int parts;    // moments per environment: R and D, or R, A and B, the D of its halves
  int numbers;  // number of parameters of the head, outputs (width + 1)
  int blocks;   // blocks per environment, head_blocks
};

constexpr int head_blocks(std::int64_t rows, int environments) {
  constexpr std::int64_t rows_per_block = 32;  // at least: four per warp, eight warps
  constexpr std::int64_t at_most = 264;        // two per multiprocessor of a large card, all resident
  const std::int64_t wanted = (rows / environments + rows_per_block - 1) / rows_per_block;
  const std::int64_t most = at_most / environments;
  return static_cast<int>(wanted < most ? wanted : most);
}

constexpr bool takes_halves(std::int64_t outputs) {
  return outputs <= 2;
}
constexpr bool takes_head(std::int64_t width, std::int64_t outputs) {
  const std::int64_t most = outputs == 1 ? 512 : outputs == 2 ? 256 : outputs == 10 ? 128 : 0;
  return width % 4 == 0 && width >= 4 && width <= most;
}

struct Objectives {
  MomentFunction all[head_objectives];
  int count;
};

// Moving averages of the moments; null pointers if there are none. See head.h.
struct Averages {
  double* steps;     // [1]
  double* averages;  // [2, environments]
  double* squares;   // [2, environments]
  double window;
  double squares_window;
};

// Outputs: logits [rows, outputs], by_moments [count, parts environments], by_head [count, numbers], readings
// [count + count count + also_count]. Workspace: partials [environments, blocks, parts, numbers],
// moment_partials [environments, blocks, parts] and sums [parts, environments, numbers].
struct HeadWork {
  float* partials;
  double* moment_partials;
  double* sums;
  float* logits;
  double* by_moments;
  float* by_head;
  double* readings;
  const double* also;
  int also_count;
  Averages averages;
};
// The logits, each block's sums of the moments, and the moments' gradients in the head.
void moments_at_head(const Head& head, const HeadWork& work, cudaStream_t stream);
// After moments_at_head on the same stream: the moments, the objectives, their gradients in the head and the
// Gram matrix.
void objectives_at_head(const Head& head, const Objectives& objectives, const HeadWork& work,
                        cudaStream_t stream);

// at_head [numbers] and gradient [rows, width], which may be null. partials [head_back_blocks, width]: sums
// of the gradient over each block's rows if features are rectified; otherwise null.
struct HeadBack {
  const float* logits;
  const double* by_moments;
  const float* by_head;
  const double* weights;
  int objectives;
  float* gradient;
  float* at_head;
  float* partials;
};
int head_back_blocks(const Head& head);
void head_back(const Head& head, const HeadBack& back, cudaStream_t stream);

}  // namespace pair::device::cuda

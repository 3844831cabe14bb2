#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "pair/device/loss.h"

// The launches behind head.h, as kernels.cuh has those of kernels.h.

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
  const float* labels;        // null for cross-entropy
  const std::int64_t* kinds;  // the classes; null else

  int parts;    // moments of an environment: R and D, or R, A and B, the D of its halves
  int numbers;  // the head's parameters, outputs (width + 1)
  int blocks;   // that work on one environment, head_blocks
};

constexpr int head_blocks(std::int64_t rows, int environments) {
  constexpr std::int64_t rows_a_block = 32;  // at least: four for each of eight warps
  constexpr std::int64_t at_most = 264;      // two a multiprocessor of a large card, all there at once
  const std::int64_t wanted = (rows / environments + rows_a_block - 1) / rows_a_block;
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

// logits [rows, outputs], and: by_moments [count, parts environments], by_head [count, numbers], told [count
// + count count + also_count]. partials [environments, blocks, parts, numbers], moment_partials
// [environments, blocks, parts] and sums [parts, environments, numbers] are to work in.
struct HeadWork {
  float* partials;
  double* moment_partials;
  double* sums;
  float* logits;
  double* by_moments;
  float* by_head;
  double* told;
  const double* also;
  int also_count;
};
void at_head(const Head& head, const Objectives& objectives, const HeadWork& work, cudaStream_t stream);

// at_head [numbers] and gradient [rows, width], which may be null. partials [head_back_blocks, width]: the
// gradient's sums over each block's rows, where features are rectified; else null.
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

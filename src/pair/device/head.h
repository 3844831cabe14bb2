#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>

#include "pair/device/loss.h"

// A step's work at the linear head w, on CUDA devices, for objectives that depend only on the environments'
// moments: R_e and D_e (train/moments.h), or, in place of D_e, A_e and B_e, the D over samples at even and at
// odd places. The gradient of such an objective L in the head's parameters is
//
//     dL/dw = sum_e dL/dR_e dR_e/dw + dL/dD_e dD_e/dw,
//
// and R_e, D_e and their gradients in w are sums over samples that one pass over the features provides. So
// the features are read once for the logits, the losses and the Gram matrix of all objectives, and once more,
// when the weights are known, for the backward pass; the work in between is on a few numbers.

namespace pair::device {

struct Head {
  Loss loss = Loss::binary_cross_entropy;
  torch::Tensor features;  // [n, d], of environments of equal size, in order
  torch::Tensor labels;    // [n], as for moments.h
  torch::Tensor weight;    // [k, d]; k = 1 unless the loss is cross-entropy
  torch::Tensor bias;      // [k]
  std::int64_t environments = 1;
};

// Moments as moving averages over steps (train/tracked_moments.h), updated in place on the device.
struct MomentAverages {
  torch::Tensor steps;          // [1] doubles: the number of updates so far
  torch::Tensor averages;       // [2, environments] doubles: R_e, then D_e
  torch::Tensor squares;        // likewise: averages of squared deviations
  double window = 1.0;          // steps, at least 1
  double squares_window = 1.0;  // the same for squares
};

// Whether the functions below support a head with this weight [k, d], this many environments and samples per
// environment: 32-bit numbers on a CUDA device; k = 1 with d up to 512, k = 2 up to 256, k = 10 up to 128, d
// a multiple of 4; at most 16 environments and 4 objectives. Derivatives of halves are not supported together
// with those of whole environments, for k = 10, or for a single sample; at_head does not support them with
// averages.
bool takes_head(const torch::Tensor& weight, std::int64_t environments, std::int64_t samples,
                std::span<const MomentFunction> objectives);

struct AtHead {
  Head head;
  torch::Tensor logits;      // [n, k]
  torch::Tensor by_moments;  // [m, p environments] doubles: dL/dR_e, then dL/dD_e or dL/dA_e and dL/dB_e
  torch::Tensor by_head;     // [m, k d + k]: dL/dw, weight and then bias
  // [m + m m + ...] doubles: the m losses, the Gram matrix of by_head, and the numbers of `also`.
  torch::Tensor readings;
};
// also: doubles to be appended to readings, or undefined. averages: if given, they take in the batch's moments
// first, and the objectives and their slopes are those at the averages.
AtHead at_head(const Head& head, std::span<const MomentFunction> objectives, const torch::Tensor& also,
               const MomentAverages* averages = nullptr);

// The gradient of sum_k weights_k L_k, weights [m] doubles, in the head's parameters and in the features. An
// objective with weight 0 is ignored, even if its gradient is not finite.
enum class FeatureGradient {
  none,       // undefined
  plain,      // with respect to the features
  rectified,  // the features are ReLU's output: with respect to its input, with sums over the rows
};
struct HeadGradient {
  torch::Tensor head;      // [k d + k]
  torch::Tensor features;  // [n, d]
  torch::Tensor sums;      // [d]; undefined unless rectified
};
HeadGradient back_from_head(const AtHead& at, const torch::Tensor& weights, FeatureGradient wanted);

}  // namespace pair::device

#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>

#include "pair/device/loss.h"

// A step's work at the linear head w, on CUDA devices, for objectives that are functions of the environments'
// moments alone: R_e and D_e (train/moments.h), or in D_e's place A_e and B_e, D over the samples at even and
// at odd places. The gradient of such an objective L in the head's parameters is
//
//     dL/dw = sum_e dL/dR_e dR_e/dw + dL/dD_e dD_e/dw,
//
// and R_e, D_e and their gradients in w are sums over samples of what one pass over the features gives. So
// the features are read once for the logits, the losses and the Gram matrix of all objectives, and once more,
// when the weights are known, for the way back; in between lies nothing but a few numbers.

namespace pair::device {

struct Head {
  Loss loss = Loss::binary_cross_entropy;
  torch::Tensor features;  // [n, d], of environments of equal size, one after another
  torch::Tensor labels;    // [n], as kernels.h's moments take them
  torch::Tensor weight;    // [k, d]; k = 1 unless the loss is cross-entropy
  torch::Tensor bias;      // [k]
  std::int64_t environments = 1;
};

// Whether the functions below take a head with this weight [k, d], and so many environments of so many
// samples: 32-bit numbers on a CUDA device; k = 1 with d up to 512, k = 2 up to 256, k = 10 up to 128, d a
// multiple of 4; at most 16 environments and 4 objectives. Derivatives of halves are not taken beside those
// of whole environments, for k = 10 or of a single sample.
bool takes_head(const torch::Tensor& weight, std::int64_t environments, std::int64_t samples,
                std::span<const MomentFunction> objectives);

struct AtHead {
  Head head;
  torch::Tensor logits;      // [n, k]
  torch::Tensor by_moments;  // [m, p environments] doubles: dL/dR_e, then dL/dD_e or dL/dA_e and dL/dB_e
  torch::Tensor by_head;     // [m, k d + k]: dL/dw, weight and then bias
  // [m + m m + ...] doubles: the m losses, the Gram matrix of by_head, and what was to come along.
  torch::Tensor told;
};
// also: doubles that are to come along, or undefined.
AtHead at_head(const Head& head, std::span<const MomentFunction> objectives, const torch::Tensor& also);

// Of sum_k weights_k L_k, weights [m] doubles: the gradient in the head's parameters and in the features. An
// objective of weight 0 counts for nothing, whatever its gradient.
enum class FeatureGradient {
  none,       // undefined
  plain,      // of the features
  rectified,  // the features are what ReLU gave: of what it was given, with its sums over the rows
};
struct HeadGradient {
  torch::Tensor head;      // [k d + k]
  torch::Tensor features;  // [n, d]
  torch::Tensor sums;      // [d]; undefined unless rectified
};
HeadGradient back_from_head(const AtHead& at, const torch::Tensor& weights, FeatureGradient wanted);

}  // namespace pair::device

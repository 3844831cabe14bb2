#pragma once

#include <torch/types.h>

#include <span>

#include "pair/data/random.h"
#include "pair/train/batch.h"
#include "pair/train/settings.h"

// A path from a batch to its losses and the gradient of their weighted sum. There are three, and Step
// (step.h) chooses:
//
// - CutGraph (cut_graph.h): the graph is cut at the features and at the logits. The default.
// - HeadKernels (head_kernels.h): the same, with the work at the head done by kernels on a CUDA device.
// - WholeNetwork (whole_network.h): without cuts, for objectives that need the network's gradients.

namespace pair::train {

class StepPath {
 public:
  struct Result {
    torch::Tensor losses;    // [m], doubles
    torch::Tensor gradient;  // [P], of sum_k weights_k L_k
  };

  virtual ~StepPath() = default;

  // See Step's functions of the same names.
  virtual Result with_weights(const Batch& batch, std::span<const double> weights, data::Random& random) = 0;
  virtual torch::Tensor compare(const Batch& batch, GradientSource source, data::Random& random,
                                const torch::Tensor& also) = 0;
  // After compare, once. Throws std::logic_error otherwise.
  virtual torch::Tensor gradient(const torch::Tensor& weights) = 0;
  // Drops the data kept by compare for gradient, so that its memory can be reused.
  virtual void forget() = 0;
};

}  // namespace pair::train

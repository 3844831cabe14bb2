#pragma once

#include <torch/optim.h>

#include <vector>

#include "pair/train/guard.h"
#include "pair/train/kept_buffers.h"

// A step of any torch optimizer that cannot ruin a run: the rule of guard.h around it. (Optimizers without a
// momentum buffer have none to drop.)

namespace pair::train {

// What is known about the parameters as they are, after the step before this one.
enum class Verdict {
  good,          // the step holds, and the gradients in the parameters are those to follow next
  too_long,      // the step raised what it was meant to lower
  not_finite,    // a loss is not finite, or a gradient that weights would be chosen from
  bad_gradient,  // the step holds, but the gradient to follow next is not finite
};

class GuardedStep {
 public:
  // buffers: the network's (BatchNorm's statistics), which return with the parameters.
  explicit GuardedStep(torch::optim::Optimizer& optimizer, bool restart = true,
                       std::vector<torch::Tensor> buffers = {});

  // Takes the step from the gradients that stand in the parameters, at the optimizer's own learning rates
  // times lr_factor(), or takes the last one back. Returns whether a step was taken. Throws Diverged after
  // GuardState::patience refusals in a row; the parameters are then those before the last good step.
  bool apply(Verdict verdict);
  [[nodiscard]] double lr_factor() const { return state_.lr_factor(); }

  [[nodiscard]] const GuardState& state() const { return state_; }

 private:
  [[nodiscard]] std::vector<torch::Tensor> parameters() const;
  [[nodiscard]] bool opposed() const;
  void drop_momentum();
  void take_back();

  torch::optim::Optimizer* optimizer_;
  bool restart_;
  GuardState state_;
  std::vector<torch::Tensor> last_good_;
  KeptBuffers buffers_;
};

}  // namespace pair::train

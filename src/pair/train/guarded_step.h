#pragma once

#include <torch/optim.h>

#include <vector>

#include "pair/train/guard.h"
#include "pair/train/kept_buffers.h"

// A guarded step of any torch optimizer, by the rule of guard.h. (Optimizers without a momentum buffer have
// none to drop.)

namespace pair::train {

// The state of the parameters after the previous step.
enum class Verdict {
  good,          // the step holds, and the parameters have the gradients to follow next
  too_long,      // the step raised the loss that it should have lowered
  not_finite,    // a loss is not finite, or a gradient that weights would be computed from
  bad_gradient,  // the step holds, but the next gradient is not finite
};

class GuardedStep {
 public:
  // buffers: the network's (BatchNorm's statistics), which are restored with the parameters.
  explicit GuardedStep(torch::optim::Optimizer& optimizer, bool restart = true,
                       std::vector<torch::Tensor> buffers = {});

  // Takes the step from the gradients stored in the parameters, at the optimizer's learning rates times
  // lr_factor(), or undoes the last one. Returns whether a step was taken. Throws Diverged after
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

#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "pair/train/strategy.h"

// The linear scheme, and PAIR-o's descent phase, which is that of ERM (lambda 0, or descent_penalties):
//
//     (mean risk + l2 |theta|^2 + sum_k lambda_k * other objectives) / max(lambda, 1).
//
// Objectives in settings.sums are summed over the environments instead of averaged, and after annealing the
// whole is also divided by settings.annealed_divisor: the authors' release does both (docs/paper.md).
//
// Does not wait for the device: the results of a step are read when needed (settle).

namespace pair::train {

// The weights of the objectives, erm's first, divided by their common divisor. The objectives are means over
// `environments` environments, so summed ones have that factor in their weight.
struct LinearWeights {
  std::vector<double> weights;
  double divisor = 1.0;
};
LinearWeights linear_weights(const Settings& settings, std::int64_t step, std::int64_t environments = 1);

class LinearStrategy : public StepStrategy {
 public:
  // Both must outlive the strategy.
  LinearStrategy(Learner& learner, const Settings& settings);

  void advance(std::int64_t step, double lr) override;
  void settle() override;

 private:
  // The device's part of a step.
  void work();

  Learner* learner_;
  const Settings* settings_;
  bool compares_;  // whether gradients are compared, for the record
  double l2_ = 0.0;
  // The results of the last step on the device, doubles: the losses [m]; their gradients' Gram matrix [m m]
  // if they are compared; and, with l2, the squared norm of the parameters.
  torch::Tensor step_numbers_;
  bool unread_ = false;
};

}  // namespace pair::train

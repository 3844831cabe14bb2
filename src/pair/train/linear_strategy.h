#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "pair/train/strategy.h"

// The linear scheme, and PAIR-o's descent phase, which is that of ERM:
//
//     (mean risk + l2 |theta|^2 + sum_k lambda_k * other objectives) / max(lambda, 1).
//
// Nothing waits for the device: what a step has to tell is read when somebody asks (settle).

namespace pair::train {

// The weights of the objectives, erm's first, and what all of them were divided by.
struct LinearWeights {
  std::vector<double> weights;
  double divisor = 1.0;
};
LinearWeights linear_weights(const Settings& settings, std::int64_t step);

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
  bool compares_;  // gradients, for the record
  double l2_ = 0.0;
  // What the last step left on the device, doubles: the losses [m]; where gradients are compared, their Gram
  // matrix [m m]; with l2 the squared length of the parameters, last.
  torch::Tensor step_numbers_;
  bool unread_ = false;
};

}  // namespace pair::train

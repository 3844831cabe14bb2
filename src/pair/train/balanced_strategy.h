#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "pair/train/step_solver.h"
#include "pair/train/strategy.h"

// PAIR-o's balance phase: losses and the Gram matrix of their gradients go to the solver on the host, and its
// weights determine the direction. Two parts of work on the device, and between them the only wait of a step.

namespace pair::train {

class BalancedStrategy : public StepStrategy {
 public:
  // Both must outlive the strategy.
  BalancedStrategy(Learner& learner, const Settings& settings);

  void advance(std::int64_t step, double lr) override;
  void settle() override { learner_->read_guard(); }

  // The solver's state: preference, last weights and losses.
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  // The device's parts of a step: the solver's input, and the update under its weights.
  void compare();
  void apply();
  // Whether steps are shortened near the noise floors, and those floors, one per objective; NaN: none.
  [[nodiscard]] bool holds() const;
  [[nodiscard]] std::vector<double> floors_in(std::span<const double> numbers) const;

  Learner* learner_;
  const Settings* settings_;
  StepSolver solver_;
  bool backtracks_;
  // The results of compare on the device, doubles: losses [m], Gram matrix [m m], the update's tally [4] and,
  // if holds(), the numbers of TrackedMoments::with_variance_numbers before the step.
  torch::Tensor step_numbers_;
};

}  // namespace pair::train

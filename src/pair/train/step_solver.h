#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/options.h"
#include "pair/moo/solver.h"

// A solver with its state between steps: the preference, given or estimated, and the last losses with the
// weights chosen for them.

namespace pair::train {

class StepSolver {
 public:
  // An empty preference is estimated from the first losses seen (see estimate_preference). Empty
  // options are the solver's defaults in training. Throws std::invalid_argument for an unknown solver
  // and for options out of range.
  StepSolver(std::string_view solver, std::vector<double> preference, const base::Options& options = {});

  // Weighs the losses and remembers both.
  moo::Solution weigh(std::span<const double> losses, std::span<const double> gram);

  // Whether these losses show that the last step was too long (GuardState::overshot). False before the first
  // step.
  [[nodiscard]] bool overshot(std::span<const double> losses) const;

  // Forgets the last losses, if the next ones are of other samples. Solvers still see the last weights.
  void forget_losses();

  struct State {
    std::vector<double> preference;
    std::vector<double> weights;  // empty before the first step
    std::vector<double> losses;
  };
  // For checkpoints.
  [[nodiscard]] const State& state() const { return state_; }
  void restore(State state) { state_ = std::move(state); }

 private:
  std::unique_ptr<moo::Solver> solver_;
  State state_;
};

}  // namespace pair::train

#pragma once

#include <torch/optim.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// An optimizer's step that cannot ruin a run.
//
// Three guards, around any torch optimizer:
//
// - Restart. The balance phase turns sharply when EPO changes its mind, and momentum then carries the
//   parameters on against the new direction. Where the new gradient opposes the velocity,
//   g . v <= 0 over all parameters, the velocity is dropped. (Optimizers without a momentum buffer have
//   nothing to drop.) Without it some seeds collapse at learning rates that otherwise are the best.
// - Backtrack. To first order a step lowers what it was weighed to lower; where the next losses show that it
//   did not (Weigher::overshot), it was too long. It is taken back, the velocity dropped and the learning
//   rate halved; steps that hold let it grow again, up to its own value. This is what saves the steps at
//   which EPO's vertex jumps from a penalty with a tiny gradient to ERM.
// - Rollback. A step whose loss or gradient is not finite is never applied: the parameters return to the
//   last ones whose loss was finite, the velocity is dropped and the learning rate halved for good.

namespace pair::train {

// Training that cannot go on.
class Diverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What is known about the parameters as they stand, after the step before this one.
enum class Verdict {
  good,        // the step holds, and the gradients in the parameters are those to follow next
  too_long,    // the step raised what it was meant to lower
  not_finite,  // a loss or a gradient is not a number
};

// Kept over a whole run, through changes of optimizer.
struct GuardState {
  std::int64_t restarts = 0;
  std::int64_t backtracks = 0;
  std::int64_t rollbacks = 0;
  std::int64_t rollbacks_in_a_row = 0;
  double backtracking = 1.0;  // factor of the learning rate in (0, 1] that recovers
  double halving = 1.0;       // factor of the learning rate that does not
};

class GuardedStep {
 public:
  // Steps in a row that may fail before apply throws Diverged.
  static constexpr std::int64_t patience = 10;

  // What Diverged says of that.
  static std::string divergence();

  // Growth of the backtracking factor a good step.
  static constexpr double recovery = 1.1;

  explicit GuardedStep(torch::optim::Optimizer& optimizer, bool restart = true);

  // Takes the step from the gradients that stand in the parameters, at the optimizer's own learning rates
  // times lr_factor(), or takes the last one back. Returns whether a step was taken. Throws Diverged after
  // `patience` verdicts of not_finite in a row.
  bool apply(Verdict verdict);
  [[nodiscard]] double lr_factor() const { return state_.backtracking * state_.halving; }

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
};

}  // namespace pair::train

#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

// The rule by which steps are guarded, in one place: what is counted, by how much the learning rate shrinks
// and recovers, when momentum is dropped, when a run is over.
//
// - Restart. The balance phase turns sharply when EPO changes its mind, and momentum then carries the
// parameters on
//   against the new direction. Where the new gradient opposes the velocity, g . v < 0 over all parameters,
//   the velocity is dropped. Without it some seeds collapse at learning rates that otherwise are the best.
// - Backtrack. To first order a step lowers what it was weighed to lower; where the next losses show that it
// did not
//   (StepSolver::overshot), it was too long. It is taken back, the velocity dropped and the learning rate
//   halved; steps that hold let it grow again, up to its own value. This is what saves the steps at which
//   EPO's vertex jumps from a penalty with a tiny gradient to ERM.
// - Rollback. A step whose loss or gradient is not finite is never applied: the parameters return to those
// before
//   the last good step, the velocity is dropped and the learning rate halved for good.
//
// Two classes follow it: GuardedStep around torch's optimizers, for loops of others, and Update, the
// trainer's own. (On CUDA devices device/kernels.cu does Update's part of it; a test compares.)

namespace pair::train {

// Training that cannot continue.
class Diverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Kept over a whole run, through changes of optimizer.
struct GuardState {
  // Steps in a row that may be refused before the run is over.
  static constexpr std::int64_t patience = 10;
  // Growth of the backtracking factor per step that holds.
  static constexpr double recovery = 1.1;
  // Factor of the learning rate for a step that was too long or is not finite.
  static constexpr double shrinkage = 0.5;

  std::int64_t restarts = 0;
  std::int64_t backtracks = 0;
  std::int64_t rollbacks = 0;
  std::int64_t rollbacks_in_a_row = 0;  // from patience on they are not forgotten
  double backtracking = 1.0;            // factor of the learning rate in (0, 1] that recovers
  double halving = 1.0;                 // factor of the learning rate that does not

  [[nodiscard]] double lr_factor() const { return backtracking * halving; }

  // Whether momentum is dropped, from gradient . velocity.
  [[nodiscard]] static bool opposed(double product) { return product < 0.0; }
  void restart() { ++restarts; }

  // The losses are finite and do not show the step before to have been too long; the next one is weighed.
  void hold() { backtracking = std::min(1.0, backtracking * recovery); }
  // The gradient is finite too; the step is taken.
  void accept() { forget_refusals(); }
  // The losses show the step before to have been too long: it is taken back.
  void take_back() {
    ++backtracks;
    backtracking *= shrinkage;
    forget_refusals();
  }
  // A loss or the gradient is not finite: no step is taken, and the one before is taken back.
  void refuse() {
    ++rollbacks;
    ++rollbacks_in_a_row;
    halving *= shrinkage;
  }
  // Another optimizer begins: its learning rate is its own.
  void begin_optimizer() { backtracking = halving = 1.0; }

  [[nodiscard]] bool over() const { return rollbacks_in_a_row >= patience; }
  // Throws Diverged where it is over.
  void check() const {
    if (over()) {
      throw Diverged(
          "training diverged: " + std::to_string(patience) +
          " steps in a row had a loss or gradient that was not finite, although the learning rate was "
          "halved each time; a smaller learning rate or preference may help");
    }
  }

 private:
  void forget_refusals() { rollbacks_in_a_row = over() ? rollbacks_in_a_row : 0; }
};

}  // namespace pair::train

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>

// The rule that guards steps: what is counted, how the learning rate shrinks and recovers, when momentum is
// dropped, and when a run ends.
//
// - Restart. In the balance phase, the direction changes sharply when EPO's solution jumps, and momentum
//   would carry the parameters against the new direction. If the new gradient opposes the velocity, g . v < 0
//   over all parameters, the velocity is dropped. Without this, some seeds collapse at learning rates that
//   are otherwise the best.
// - Backtrack. To first order, a step lowers its weighted loss. If the next losses show that it did not
//   (GuardState::overshot), it was too long: it is undone, the velocity dropped and the learning rate halved;
//   accepted steps let it recover to its own value. This handles the steps at which EPO's vertex jumps from a
//   penalty with a tiny gradient to ERM.
// - Rollback. A step whose loss or gradient is not finite is never applied: the parameters return to those
//   before the last good step, the velocity is dropped and the learning rate halved permanently.
//
// Two classes implement it: GuardedStep around torch's optimizers, for user-written loops, and Update, the
// trainer's own. If the host must not wait for the device, the device repeats GuardState's counting: in
// device/update.cu and, for AMSGrad, in Update::apply_amsgrad(). Tests compare both with GuardState.

namespace pair::train {

// Training that cannot continue.
class Diverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Kept for the whole run, across changes of the optimizer.
struct GuardState {
  // Number of consecutive refused steps after which the run ends.
  static constexpr std::int64_t patience = 10;
  // Growth of the backtracking factor per accepted step.
  static constexpr double recovery = 1.1;
  // Growth of a loss that shows that a step was too long. Above 1, to tolerate the noise of minibatches and the
  // crossing of a narrow valley.
  static constexpr double tolerated_growth = 1.1;
  // Factor of the learning rate after a step that was too long or not finite.
  static constexpr double shrinkage = 0.5;

  std::int64_t restarts = 0;
  std::int64_t backtracks = 0;
  std::int64_t rollbacks = 0;
  std::int64_t rollbacks_in_a_row = 0;  // no longer reset once it reaches patience
  double backtracking = 1.0;            // recovering factor of the learning rate, in (0, 1]
  double halving = 1.0;                 // permanent factor of the learning rate

  [[nodiscard]] double lr_factor() const { return backtracking * halving; }

  // Whether momentum is dropped, from gradient . velocity.
  [[nodiscard]] static bool opposed(double product) { return product < 0.0; }
  void restart() { ++restarts; }

  // Whether the losses after a step show that it was too long. To first order, a step lowers w . L under its own
  // weights and does not raise the most violated objective, max_i p_i L_i (EPO's constraint on J*). If either has
  // grown by more than tolerated_growth, first order no longer holds.
  [[nodiscard]] static bool overshot(std::span<const double> preference, std::span<const double> weights,
                                     std::span<const double> before, std::span<const double> after) {
    const auto under_weights = [weights](std::span<const double> losses) {
      return std::inner_product(losses.begin(), losses.end(), weights.begin(), 0.0);
    };
    const auto most_violated = [preference](std::span<const double> losses) {
      return std::inner_product(
          losses.begin(), losses.end(), preference.begin(), 0.0,
          [](double largest, double weighted) { return std::max(largest, weighted); }, std::multiplies<>());
    };
    // Weights of pmtl may be negative, and so may the sum.
    const auto grew = [](double was, double is) {
      return is > was + (tolerated_growth - 1.0) * std::abs(was);
    };
    return grew(under_weights(before), under_weights(after)) ||
           grew(most_violated(before), most_violated(after));
  }

  // The losses are finite and do not show that the previous step was too long.
  void hold() { backtracking = std::min(1.0, backtracking * recovery); }
  // The gradient is finite, too; the step is taken.
  void accept() { forget_refusals(); }
  // The losses show that the previous step was too long: it is undone.
  void take_back() {
    ++backtracks;
    backtracking *= shrinkage;
    forget_refusals();
  }
  // A loss or the gradient is not finite: no step is taken, and the previous one is undone.
  void refuse() {
    ++rollbacks;
    ++rollbacks_in_a_row;
    halving *= shrinkage;
  }
  // Another optimizer begins, with its own learning rate.
  void begin_optimizer() { backtracking = halving = 1.0; }

  [[nodiscard]] bool over() const { return rollbacks_in_a_row >= patience; }
  // Throws Diverged if the run has ended.
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

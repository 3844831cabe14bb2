#include "pair/train/step_solver.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "pair/moo/registry.h"
#include "pair/train/settings.h"

namespace pair::train {

StepSolver::StepSolver(std::string_view solver, std::vector<double> preference, const base::Options& options)
    : solver_(moo::make_solver(solver, options.is_like({}) ? moo::training_options_of(solver) : options)) {
  state_.preference = std::move(preference);
}

moo::Solution StepSolver::weigh(std::span<const double> losses, std::span<const double> gram) {
  if (state_.preference.empty()) {
    state_.preference = estimate_preference({losses.begin(), losses.end()});
  }
  // pmtl may return negative weights, which cannot be the previous weights of the next step.
  const bool on_simplex =
      std::all_of(state_.weights.begin(), state_.weights.end(), [](double w) { return w >= 0.0; });
  const std::span<const double> previous =
      on_simplex ? std::span<const double>(state_.weights) : std::span<const double>();
  moo::Solution solution = solver_->weigh({losses, gram, state_.preference, previous});
  state_.weights = solution.weights;
  state_.losses.assign(losses.begin(), losses.end());
  return solution;
}

bool StepSolver::overshot(std::span<const double> losses) const {
  if (state_.losses.size() != losses.size()) {
    return false;
  }
  const auto under_weights = [this](std::span<const double> values) {
    return std::inner_product(values.begin(), values.end(), state_.weights.begin(), 0.0);
  };
  const auto most_violated = [this](std::span<const double> values) {
    double largest = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      largest = std::max(largest, state_.preference[i] * values[i]);
    }
    return largest;
  };
  // Weights of pmtl may be negative, and so may the sum.
  const auto grew = [](double before, double now) {
    return now > before + (tolerated_growth - 1.0) * std::abs(before);
  };
  return grew(under_weights(state_.losses), under_weights(losses)) ||
         grew(most_violated(state_.losses), most_violated(losses));
}

void StepSolver::forget_losses() {
  state_.losses.clear();
}

}  // namespace pair::train

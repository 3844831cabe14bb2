#include "pair/train/step_solver.h"

#include <algorithm>
#include <utility>

#include "pair/moo/registry.h"
#include "pair/train/guard.h"
#include "pair/train/preference.h"

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
  return state_.losses.size() == losses.size() &&
         GuardState::overshot(state_.preference, state_.weights, state_.losses, losses);
}

void StepSolver::forget_losses() {
  state_.losses.clear();
}

}  // namespace pair::train

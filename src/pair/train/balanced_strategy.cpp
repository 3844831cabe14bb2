#include "pair/train/balanced_strategy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "pair/train/archive.h"
#include "pair/train/host_numbers.h"
#include "pair/train/noise_floor.h"

namespace pair::train {
namespace {

// The share of the weighted losses that is clearly above the noise: 1 - sum_i |w_i| (1 - f_i), where f_i rises from 0
// for a loss at its floor to 1 for twice its floor, and is 1 for a loss without a floor.
double signal(std::span<const double> weights, std::span<const double> losses,
              std::span<const double> floors) {
  double share = 1.0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (floors[i] > 0.0) {  // not NaN
      share -= std::abs(weights[i]) * (1.0 - std::clamp(losses[i] / floors[i] - 1.0, 0.0, 1.0));
    }
  }
  return std::max(share, 0.0);
}

}  // namespace

BalancedStrategy::BalancedStrategy(Learner& learner, const Settings& settings)
    : learner_(&learner),
      settings_(&settings),
      solver_(settings.solver, settings.preference, settings.solver_options),
      backtracks_(settings.backtrack && learner.losses_comparable()) {}

void BalancedStrategy::compare() {
  Learner& learner = *learner_;
  const Batch batch = learner.batches.of_step(learner.step.in_half());
  torch::Tensor also = learner.update->tally();
  if (holds()) {
    also = learner.step.tracked()->with_variance_numbers(also);
  }
  step_numbers_ = learner.step.compare(batch, settings_->gradients, learner.draws, also);
  learner.add_losses(step_numbers_.narrow(0, 0, static_cast<std::int64_t>(learner.objectives.size())));
}

bool BalancedStrategy::holds() const {
  return settings_->hold_at_noise && learner_->step.tracked() != nullptr;
}

std::vector<double> BalancedStrategy::floors_in(std::span<const double> numbers) const {
  const auto environments = static_cast<std::size_t>(learner_->batches.environments());
  const std::vector<double> variances =
      learner_->step.tracked()->variances(numbers.last(1 + 2 * environments));
  return noise_floors(learner_->objectives, std::span(variances).first(environments),
                      std::span(variances).last(environments));
}

void BalancedStrategy::apply() {
  Learner& learner = *learner_;
  const torch::Tensor losses =
      step_numbers_.narrow(0, 0, static_cast<std::int64_t>(learner.objectives.size()));
  learner.update->apply(learner.step.gradient(learner.controls.weights()), losses, learner.controls.lr());
}

void BalancedStrategy::advance(std::int64_t step, double lr) {
  Learner& learner = *learner_;
  if (learner.batches.roles_change_at(step)) {
    solver_.forget_losses();
  }
  Progress& progress = learner.progress;
  if (learner.work.empty()) {
    learner.work.set({[this] { compare(); }, [this] { apply(); }});
  }
  learner.work.play(0);
  learner.count_losses();

  const std::size_t m = learner.objectives.size();
  const std::span<const double> numbers = learner.to_host.read(step_numbers_);
  const std::span<const double> losses = numbers.first(m);
  const std::span<const double> gram = numbers.subspan(m, m * m);
  const std::span<const double> tally =
      numbers.subspan(m + m * m, static_cast<std::size_t>(learner.update->tally().numel()));
  learner.read_guard(tally);
  const bool finite = all_finite(losses) && all_finite(gram);
  if (finite && backtracks_ && solver_.overshot(losses)) {
    learner.update->take_back(progress.guard);
    return;
  }
  progress.last = {.losses = {losses.begin(), losses.end()},
                   .weights = {},
                   .conflict = conflict_of(m, gram),
                   .loss = std::numeric_limits<double>::quiet_NaN()};
  if (!finite) {
    learner.update->refuse(progress.guard);
    return;
  }
  const moo::Solution solution = solver_.weigh(losses, gram);
  progress.divergence = solution.divergence;
  progress.feasible = solution.status == moo::Status::optimal;
  progress.last.weights = solution.weights;
  progress.last.loss = weighted(solution.weights, losses);
  progress.guard.hold();
  const double share = holds() ? signal(solution.weights, losses, floors_in(numbers)) : 1.0;
  learner.controls.set(solution.weights, lr * share * progress.guard.backtracking, /*device_is_idle=*/true);
  learner.work.play(1);
}

void BalancedStrategy::save(torch::serialize::OutputArchive& archive) const {
  write(archive, "preference", solver_.state().preference);
  write(archive, "weighed_weights", solver_.state().weights);
  write(archive, "weighed_losses", solver_.state().losses);
}

void BalancedStrategy::load(torch::serialize::InputArchive& archive) {
  solver_.restore({read_numbers(archive, "preference"), read_numbers(archive, "weighed_weights"),
                   read_numbers(archive, "weighed_losses")});
}

}  // namespace pair::train

#include "pair/train/linear_strategy.h"

#include <torch/utils.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "pair/train/host_numbers.h"

namespace pair::train {

LinearWeights linear_weights(const Settings& settings, std::int64_t step, std::int64_t environments) {
  LinearWeights result;
  result.weights.assign(settings.objectives.size(), 0.0);
  if (settings.scheme == Scheme::linear) {
    const bool annealing = step < settings.pretrain;
    result.weights.assign(settings.objectives.size(),
                          annealing ? settings.pretrain_penalty : settings.penalty);
    for (std::size_t k = 0; k < settings.penalties.size(); ++k) {
      const double penalty = settings.penalties[k];
      result.weights[k + 1] = annealing && penalty > 0.0 ? settings.pretrain_penalty : penalty;
    }
  }
  if (settings.scheme == Scheme::pair) {
    std::copy(settings.descent_penalties.begin(), settings.descent_penalties.end(),
              result.weights.begin() + 1);
  }
  result.weights.front() = 1.0;
  result.divisor = *std::max_element(result.weights.begin(), result.weights.end());
  if (settings.scheme == Scheme::linear) {
    for (const std::string& name : summed_objectives(settings)) {
      const auto found = std::find(settings.objectives.begin(), settings.objectives.end(), name);
      result.weights.at(static_cast<std::size_t>(found - settings.objectives.begin())) *=
          static_cast<double>(environments);
    }
    if (settings.pretrain > 0 && step >= settings.pretrain) {
      result.divisor *= settings.annealed_divisor;
    }
  }
  for (double& weight : result.weights) {
    weight /= result.divisor;
  }
  return result;
}

LinearStrategy::LinearStrategy(Learner& learner, const Settings& settings)
    : learner_(&learner),
      settings_(&settings),
      compares_(settings.scheme == Scheme::linear && settings.conflict && settings.objectives.size() > 1) {}

void LinearStrategy::advance(std::int64_t step, double lr) {
  LinearWeights linear = linear_weights(*settings_, step, learner_->batches.environments());
  LastStep& last = learner_->progress.last;
  if (learner_->work.empty() || linear.weights != last.weights) {
    last.weights = linear.weights;
    l2_ = settings_->l2 / linear.divisor;
    learner_->work.set({[this] { work(); }});
  }
  learner_->controls.set(std::move(linear.weights), lr, /*device_is_idle=*/false);
  learner_->work.play(0);
  unread_ = true;
  learner_->count_losses();
}

void LinearStrategy::work() {
  Learner& learner = *learner_;
  const Batch batch = learner.batches.of_step(learner.step.in_half());
  torch::Tensor gradient;
  if (compares_) {
    step_numbers_ = learner.step.compare(batch, settings_->gradients, learner.draws);
    gradient = learner.step.gradient(learner.controls.weights());
  } else {
    Step::Result result = learner.step.with_weights(batch, learner.progress.last.weights, learner.draws);
    step_numbers_ = result.losses;
    gradient = result.gradient;
  }
  const torch::Tensor losses =
      step_numbers_.narrow(0, 0, static_cast<std::int64_t>(learner.objectives.size()));
  if (l2_ > 0.0) {
    const torch::NoGradGuard no_graph;
    const torch::Tensor& theta = learner.update->parameters();
    gradient.add_(theta, 2.0 * l2_);
    step_numbers_ = torch::cat({step_numbers_, torch::dot(theta, theta).to(torch::kDouble).view({1})});
  }
  learner.add_losses(losses);
  learner.update->apply(gradient, losses, learner.controls.lr());
}

void LinearStrategy::settle() {
  if (std::exchange(unread_, false)) {
    const std::vector<double> numbers = to_doubles(step_numbers_);
    const std::size_t m = learner_->objectives.size();
    LastStep& last = learner_->progress.last;
    last.losses.assign(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(m));
    last.loss = weighted(last.weights, last.losses);
    if (l2_ > 0.0) {
      last.loss += l2_ * numbers.back();
    }
    last.conflict.clear();
    if (numbers.size() >= m + m * m && m > 1) {
      last.conflict = conflict_of(m, std::span(numbers).subspan(m, m * m));
    }
  }
  learner_->read_guard();
}

}  // namespace pair::train

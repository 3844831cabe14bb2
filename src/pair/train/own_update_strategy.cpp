#include "pair/train/own_update_strategy.h"

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace pair::train {

OwnUpdateStrategy::OwnUpdateStrategy(Learner& learner, std::unique_ptr<Algorithm> algorithm)
    : learner_(&learner), algorithm_(std::move(algorithm)), buffers_(learner.model->buffers()) {}

void OwnUpdateStrategy::advance(std::int64_t /*step*/, double lr) {
  buffers_.keep();
  try {
    learner_->link.perform(
        [&] { algorithm_->advance(learner_->batches.of_step(/*half=*/false), lr, learner_->draws); });
  } catch (const Diverged&) {
    buffers_.restore();
    throw;
  }
  if (learner_->batches.minibatches()) {
    means_.add(algorithm_->losses());
  }
}

NamedLosses OwnUpdateStrategy::take_named_losses() {
  NamedLosses losses = algorithm_->losses();
  const std::vector<double> means = means_.take();
  for (std::size_t i = 0; i < means.size(); ++i) {
    // A loss that no step since the last record has computed keeps its last value.
    losses[i].second = std::isnan(means[i]) ? losses[i].second : means[i];
  }
  return losses;
}

void OwnUpdateStrategy::save(torch::serialize::OutputArchive& archive) const {
  means_.save(archive);
  torch::serialize::OutputArchive algorithm;
  algorithm_->save(algorithm);
  archive.write("algorithm", algorithm);
}

void OwnUpdateStrategy::load(torch::serialize::InputArchive& archive) {
  means_.load(archive);
  torch::serialize::InputArchive algorithm;
  archive.read("algorithm", algorithm);
  algorithm_->load(algorithm);
}

std::unique_ptr<StepStrategy> make_own_strategy(Learner& learner, const Settings& settings,
                                                const data::EnvironmentSet& data, std::uint64_t seed) {
  if (settings.scheme != Scheme::own) {
    return nullptr;
  }
  if (!settings.update.defined()) {
    throw std::invalid_argument(
        "scheme: expected linear or pair for an algorithm without its own update, got own");
  }
  const UpdateContext context{settings, data, learner.model, seed, learner.link.device()};
  if (settings.update.make_strategy) {
    return settings.update.make_strategy(learner, context);
  }
  return std::make_unique<OwnUpdateStrategy>(learner, settings.update.make(context));
}

}  // namespace pair::train

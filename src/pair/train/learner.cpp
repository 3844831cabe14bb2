#include "pair/train/learner.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "pair/base/options.h"
#include "pair/models/fused.h"
#include "pair/models/registry.h"
#include "pair/objectives/registry.h"
#include "pair/train/host_numbers.h"
#include "pair/train/model_input.h"
#include "pair/train/rank_fit.h"

namespace pair::train {
namespace {

// Excludes parameters from training.
void freeze(models::Model& model, const std::string& names) {
  if (names == "none") {
    return;
  }
  for (const std::string& name : base::comma_separated(names)) {
    bool found = false;
    for (const auto& parameter : model.named_parameters()) {
      if (parameter.key() == name || parameter.key().starts_with(name + ".")) {
        torch::Tensor tensor = parameter.value();
        tensor.set_requires_grad(false);
        found = true;
      }
    }
    if (!found) {
      const auto parameters = model.named_parameters();
      throw std::invalid_argument("freeze: expected names of the model's parameters, such as '" +
                                  (parameters.is_empty() ? std::string() : parameters.front().key()) +
                                  "', got '" + name + "'");
    }
  }
  if (!model.head->weight.requires_grad() || !model.head->bias.requires_grad()) {
    throw std::invalid_argument(
        "freeze: expected parameters below the head, since the head is always trained, got '" + names + "'");
  }
}

// Moves the model to the device and puts it into training mode.
std::shared_ptr<models::Model> prepared(std::shared_ptr<models::Model> model, const Settings& settings,
                                        const data::EnvironmentSet& data, std::uint64_t seed,
                                        torch::Device device) {
  if (!model) {
    data::Random initial(seed, "model");
    model = models::make_model(settings.model, settings.model_options, model_input(data), initial);
  }
  if (!model->head) {
    throw std::invalid_argument("model: expected one with a head, got one without");
  }
  if (model->head->options.out_features() != data.outputs) {
    throw std::invalid_argument("model: expected " + std::to_string(data.outputs) + " outputs, as '" +
                                data.name + "' has, got " +
                                std::to_string(model->head->options.out_features()));
  }
  freeze(*model, settings.freeze);
  model->to(device);
  model->train();
  if (device.is_cuda()) {
    models::lay_out_for_cuda(*model);
  }
  return model;
}

std::vector<std::unique_ptr<objectives::Objective>> make_objectives(const Settings& settings) {
  std::vector<std::unique_ptr<objectives::Objective>> made;
  for (const std::string& name : settings.objectives) {
    made.push_back(objectives::make_objective(name, settings.objective_options.at(name)));
  }
  return made;
}

// Averages are kept per environment, so that each step must have them all.
bool averages_moments(const Settings& settings, const Batches& batches,
                      std::span<const std::unique_ptr<objectives::Objective>> objectives) {
  return settings.track > 1.0 && settings.scheme != Scheme::own && batches.minibatches() &&
         batches.environments() == batches.all_environments() &&
         std::ranges::none_of(objectives, [](const auto& objective) { return objective->needs_network(); });
}

// The solver's input, and the numbers of noise floors if steps depend on them (balanced_strategy.h).
std::int64_t numbers_compared(const Settings& settings, const Batches& batches,
                              std::span<const std::unique_ptr<objectives::Objective>> objectives) {
  const auto m = static_cast<std::int64_t>(objectives.size());
  const bool holds = settings.hold_at_noise && averages_moments(settings, batches, objectives);
  return m + m * m + Update::tally_size + (holds ? 1 + 2 * batches.environments() : 0);
}

}  // namespace

Learner::Learner(const data::EnvironmentSet& data, std::shared_ptr<models::Model> ready_model,
                 const Settings& settings, std::uint64_t seed, DeviceLink& link, const Ranks& ranks)
    : link(link),
      ranks(ranks),
      model(prepared(std::move(ready_model), settings, data, seed, link.device())),
      dropout(*model, seed, link.device()),
      objectives(make_objectives(settings)),
      step(model, objectives, data.loss,
           {.half = model->steps_in_half() && link.device().is_cuda(),
            .precision = settings.precision,
            .parts = settings.accumulate}),
      batches(data, settings, seed, link.device(), ranks.share()),
      draws(seed, "objectives"),
      means(static_cast<std::int64_t>(objectives.size()), link.device()),
      controls(static_cast<std::int64_t>(objectives.size()), link),
      to_host(numbers_compared(settings, batches, objectives), link),
      work(link, "steps") {
  if (ranks.several()) {
    require_shareable(*this, settings);
    step.share(ranks);
    dropout.set_places(batches.places());
    if (link.asynchronous()) {
      work.never_record();
      link.notify("steps of several ranks are not recorded: they are launched one operation at a time");
    }
  }
  if (averages_moments(settings, batches, objectives)) {
    step.track_moments(settings.track, batches.environments(), link.device());
  }
}

void Learner::begin_update(const UpdateOptions& options) {
  progress.guard.begin_optimizer();
  update.emplace(step.parameters(), options, progress.guard, model->buffers());
  work.clear();
}

void Learner::read_guard() {
  read_guard(to_doubles(update->tally()));
}

void Learner::read_guard(std::span<const double> tally) {
  Update::read_tally(tally, progress.guard);
  progress.guard.check();
}

void Learner::add_losses(const torch::Tensor& losses) {
  if (batches.minibatches()) {
    means.add(losses);
  }
}

void Learner::count_losses() {
  if (batches.minibatches()) {
    means.count();
  }
}

bool Learner::losses_comparable() const {
  return !batches.minibatches() && !dropout.draws() &&
         std::all_of(objectives.begin(), objectives.end(),
                     [](const auto& objective) { return objective->replayable(); });
}

double weighted(std::span<const double> weights, std::span<const double> losses) {
  return std::inner_product(weights.begin(), weights.end(), losses.begin(), 0.0);
}

std::vector<double> conflict_of(std::size_t objectives, std::span<const double> gram) {
  std::vector<double> cosines;
  for (std::size_t k = 1; k < objectives; ++k) {
    const double lengths = std::sqrt(gram[0]) * std::sqrt(gram[k * objectives + k]);
    cosines.push_back(lengths > 0.0 ? gram[k] / lengths : 0.0);
  }
  return cosines;
}

}  // namespace pair::train

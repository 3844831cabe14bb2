#include "pair/train/fit.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"

namespace pair::train {
namespace {

// Whether the algorithm has its own update that treats environments separately.
bool compares(const Settings& settings) {
  return settings.scheme == Scheme::own && settings.update.compares;
}

void notify_of_half(Learner& learner, const Settings& settings) {
  // A strategy of its own uses the step's network.
  const bool own_update = settings.scheme == Scheme::own && !settings.update.make_strategy;
  const bool requested = learner.model->steps_in_half() && learner.link.device().is_cuda();
  if (requested && (own_update || !learner.step.in_half())) {
    learner.link.notify("fp16 has no effect: " + std::string(own_update
                                                                 ? "the algorithm has its own update"
                                                                 : "an objective needs the whole network"));
  }
}

void notify_of_bf16(Learner& learner, const Settings& settings) {
  if (settings.precision == Precision::bf16 && !learner.model->takes_autocast()) {
    learner.link.notify("precision bf16 has no effect on the steps of " + settings.model +
                        ", which has kernels of its own for other types");
  }
}

// As Learner decides it.
void notify_of_track(Learner& learner, const Settings& settings) {
  if (settings.track <= 1.0 || settings.scheme == Scheme::own || learner.step.tracked() != nullptr) {
    return;
  }
  learner.link.notify(!learner.batches.minibatches()
                          ? "track has no effect on steps that use all samples"
                          : "track has no effect: it needs all environments in every step, and objectives "
                            "that do not need the whole network");
}

void notify_of_roles(Learner& learner, const Settings& settings) {
  if (settings.measure_share == 0.0) {
    if (settings.measure_rotate > 0) {
      learner.link.notify("measure_rotate has no effect without measure_share");
    }
    return;
  }
  for (std::size_t k = 0; k < learner.objectives.size(); ++k) {
    if (!learner.objectives[k]->of_moments()) {
      learner.link.notify(
          "measure_share has no effect on " + settings.objectives[k] +
          ", which is not a function of risks: it is computed from the samples that are trained on");
    }
  }
  if (learner.objectives.size() == 1) {
    learner.link.notify("measure_share only leaves out samples: erm alone does not depend on measured risks");
  }
}

// Only for models without an fp16_flag, such as a user's own. With one, settings_checks.cpp refuses it by the
// option's name, before there is a model.
void check_precision(const Learner& learner, const Settings& settings) {
  if (settings.precision == Precision::bf16 && learner.model->steps_in_half()) {
    throw std::invalid_argument("precision: expected fp32 or tf32 with a model that steps in fp16, got bf16");
  }
}

// Own updates see the batch as a whole.
void check_parts(const Learner& learner, const Settings& settings) {
  if (settings.accumulate == 1) {
    return;
  }
  if (settings.scheme == Scheme::own) {
    throw std::invalid_argument("accumulate: expected 1 with " + settings.update.name +
                                ", which has its own update, got " + std::to_string(settings.accumulate));
  }
  if (!learner.batches.minibatches()) {
    const std::vector<std::int64_t> sizes = learner.batches.of_step(/*half=*/false).sizes;
    if (const std::int64_t least = *std::ranges::min_element(sizes); least < settings.accumulate) {
      throw std::invalid_argument("accumulate: expected at most " + std::to_string(least) +
                                  ", the samples of the smallest environment, got " +
                                  std::to_string(settings.accumulate));
    }
  }
}

void notify_of_one_environment(Learner& learner, const Settings& settings, const data::EnvironmentSet& data) {
  if (learner.batches.environments() > 1) {
    return;
  }
  const std::string_view one = data.train.size() == 1 ? "training environment" : "environment per step";
  const auto notify = [&](std::string_view what) {
    learner.link.notify("warning: " + std::string(what) + " compares environments; with one " +
                        std::string(one) + " it has no effect");
  };
  if (compares(settings)) {
    notify(settings.update.name);
  }
  for (const std::string& name : settings.objectives) {
    if (objectives::objective_named(name).compares) {
      notify(name);
    }
  }
}

// A zero gradient tells the solver that the objective cannot be lowered.
void notify_of_features(Learner& learner, const Settings& settings) {
  if (settings.scheme != Scheme::pair || settings.gradients != GradientSource::head) {
    return;
  }
  for (std::size_t k = 0; k < learner.objectives.size(); ++k) {
    if (learner.objectives[k]->of_features()) {
      learner.link.notify(settings.objectives[k] +
                          " is a function of the features and has no gradient at the head, so the solver "
                          "does not lower it; with '--set gradients=f' it does");
    }
  }
}

void notify_of_draws(Learner& learner, const Settings& settings) {
  for (std::size_t k = 0; k < learner.objectives.size(); ++k) {
    if (learner.link.asynchronous() && !learner.objectives[k]->replayable()) {
      learner.work.never_record();
      learner.link.notify(settings.objectives[k] +
                          " cannot be recorded, since each step takes new numbers from the host: "
                          "steps are launched one operation at a time");
    }
  }
}

}  // namespace

void require_fit(const Learner& learner, const Settings& settings) {
  check_precision(learner, settings);
  check_parts(learner, settings);
  const auto all = learner.batches.all_environments();
  if (learner.batches.environments() == all) {
    return;
  }
  const auto refuse = [&](std::string_view what) {
    throw std::invalid_argument("environments: expected 0 or " + std::to_string(all) + " (all) with " +
                                std::string(what) + ", which keeps state per environment, got " +
                                std::to_string(settings.environments));
  };
  if (settings.scheme == Scheme::own && settings.update.remembers_environments) {
    refuse(settings.update.name);
  }
  for (std::size_t k = 0; k < learner.objectives.size(); ++k) {
    if (learner.objectives[k]->remembers_environments()) {
      refuse(settings.objectives[k]);
    }
  }
}

void notify_of_fit(Learner& learner, const Settings& settings, const data::EnvironmentSet& data) {
  notify_of_half(learner, settings);
  notify_of_bf16(learner, settings);
  notify_of_track(learner, settings);
  notify_of_roles(learner, settings);
  notify_of_one_environment(learner, settings, data);
  notify_of_features(learner, settings);
  notify_of_draws(learner, settings);
}

}  // namespace pair::train

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pair/data/environment.h"
#include "pair/data/random.h"
#include "pair/models/dropout.h"
#include "pair/models/model.h"
#include "pair/objectives/objective.h"
#include "pair/train/batches.h"
#include "pair/train/device_link.h"
#include "pair/train/guard.h"
#include "pair/train/loss_means.h"
#include "pair/train/phases.h"
#include "pair/train/ranks.h"
#include "pair/train/settings.h"
#include "pair/train/step.h"
#include "pair/train/update.h"

// The objects that the steps of a run work on, for any strategy (strategy.h): the model, the objectives, the
// batches, the update, and the progress.

namespace pair::train {

// The results of the last step.
struct LastStep {
  std::vector<double> losses;    // one per objective
  std::vector<double> weights;   // one per objective
  std::vector<double> conflict;  // see Evaluation
  double loss = 0.0;             // weights . losses, plus the L2 term if it applies
};

// The progress of the run: plain numbers, as last read from the device.
struct Progress {
  std::int64_t steps = 0;  // taken
  Phase phase = Phase::descent;
  LastStep last;
  double divergence = 0.0;  // mu(L), as of the last step that a solver weighed
  bool feasible = true;     // whether its program had a solution
  GuardState guard;
};

// Strategies, the checkpoint and the trainer read and write its parts; its functions keep them consistent.
struct Learner {
  // model: an existing one, or null for that of the settings. Settings and link must outlive the learner.
  // Throws std::invalid_argument if data, model and settings do not fit.
  Learner(const data::EnvironmentSet& data, std::shared_ptr<models::Model> ready_model,
          const Settings& settings, std::uint64_t seed, DeviceLink& link, const Ranks& ranks = {});

  Learner(const Learner&) = delete;  // step refers to objectives
  Learner& operator=(const Learner&) = delete;

  // Begins another update with its own learning rate. Drops recorded steps, which refer to the old one.
  void begin_update(const UpdateOptions& options);

  // Reads the device's decisions into progress.guard, and waits for them. Throws Diverged.
  void read_guard();
  void read_guard(std::span<const double> tally);  // the same from numbers that are already on the host

  // Adds the losses of a minibatch, [m] doubles on the device, to the means, as part of recorded work.
  // count_losses is the host's part of it.
  void add_losses(const torch::Tensor& losses);
  void count_losses();

  // Whether the losses of two consecutive steps can be compared: they use the same samples and masks.
  [[nodiscard]] bool losses_comparable() const;

  DeviceLink& link;
  Ranks ranks;  // those that take the steps together
  std::shared_ptr<models::Model> model;
  models::DropoutKey dropout;
  std::vector<std::unique_ptr<objectives::Objective>> objectives;
  Step step;
  Batches batches;
  data::Random draws;
  LossMeans means;
  StepControls controls;
  NumbersToHost to_host;         // the solver's input (balanced_strategy.h)
  RepeatedWork work;             // the steps
  std::optional<Update> update;  // always set; optional so that it can be replaced
  Progress progress;
};

// weights . losses.
double weighted(std::span<const double> weights, std::span<const double> losses);

// Cosine of the first objective's gradient with that of each other one, from the Gram matrix [m, m]; 0 if one
// of them vanishes.
std::vector<double> conflict_of(std::size_t objectives, std::span<const double> gram);

}  // namespace pair::train

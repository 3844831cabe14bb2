#pragma once

#include <torch/serialize.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pair/data/environment.h"
#include "pair/data/random.h"
#include "pair/models/model.h"
#include "pair/train/batch.h"
#include "pair/train/settings.h"

// Algorithms whose update is not a step on a weighted sum of objectives. The trainer has the loop, the
// batches, the scores and the checkpoints; an algorithm has one update and the state it needs beyond the
// model.

namespace pair::train {

using NamedLosses = std::vector<std::pair<std::string, double>>;

class Algorithm {
 public:
  virtual ~Algorithm() = default;

  // One update of the model from one batch, at learning rate lr: settings.lr with warm-up and schedule
  // (Phases::lr). All random draws come from `random`. Throws Diverged if a loss is not finite; the model is
  // then unchanged.
  virtual void advance(const Batch& batch, double lr, data::Random& random) = 0;

  // The losses in records, under DomainBed's names: those of the last update that computed them, NaN before.
  [[nodiscard]] virtual NamedLosses losses() const = 0;

  // All state except the model's parameters: optimizers, further networks, counters. load accepts the result
  // of save.
  virtual void save(torch::serialize::OutputArchive& archive) const = 0;
  virtual void load(torch::serialize::InputArchive& archive) = 0;
};

// The arguments for making an update; references are only valid during the call.
struct UpdateContext {
  const Settings& settings;
  const data::EnvironmentSet& data;
  std::shared_ptr<models::Model> model;
  std::uint64_t seed = 0;  // for the update's own initial values
  torch::Device device = torch::kCPU;
};

}  // namespace pair::train

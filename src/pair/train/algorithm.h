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

// Methods whose update is no step down a weighted sum of objectives. The trainer has the loop, the batches,
// the scores and the checkpoints; an algorithm has one update and what it needs beyond the model.

namespace pair::train {

using NamedLosses = std::vector<std::pair<std::string, double>>;

class Algorithm {
 public:
  virtual ~Algorithm() = default;

  // One update of the model from one batch. Draws come from random alone. Throws Diverged where a loss is not
  // finite; the model is then as it was before.
  virtual void advance(const Batch& batch, data::Random& random) = 0;

  // What records show, under DomainBed's names: as of the last update that computed it, not a number before.
  [[nodiscard]] virtual NamedLosses losses() const = 0;

  // Everything but the model's parameters: optimizers, further networks, counters. load takes what save gave.
  virtual void save(torch::serialize::OutputArchive& archive) const = 0;
  virtual void load(torch::serialize::InputArchive& archive) = 0;
};

// What an update is made for; references outlive the call alone.
struct UpdateContext {
  const Settings& settings;
  const data::EnvironmentSet& data;
  std::shared_ptr<models::Model> model;
  std::uint64_t seed = 0;  // of the update's own initial values
  torch::Device device = torch::kCPU;
};

// The update that settings.update makes; nothing for schemes that weigh objectives. Throws
// std::invalid_argument where it is not defined on the data: one environment to train on, a regression for
// cdann.
std::unique_ptr<Algorithm> make_algorithm(const Settings& settings, const data::EnvironmentSet& data,
                                          const std::shared_ptr<models::Model>& model, std::uint64_t seed,
                                          torch::Device device);

}  // namespace pair::train

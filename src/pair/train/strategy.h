#pragma once

#include <torch/serialize.h>

#include <cstdint>
#include <memory>

#include "pair/train/algorithm.h"
#include "pair/train/learner.h"
#include "pair/train/settings.h"

// How a step is taken. There are three strategies here:
//
// - linear (linear_strategy.h): the objectives under weights that are known beforehand;
// - balanced (balanced_strategy.h): under weights that a solver chooses at each step;
// - own update (own_update_strategy.h): an Algorithm whose update is not a step on a weighted sum.
//
// An algorithm may also bring a strategy (OwnUpdate::make_strategy): one that records its steps, or uses the
// learner's update.

namespace pair::train {

class StepStrategy {
 public:
  virtual ~StepStrategy() = default;

  // The strategy's steps come next: after other steps, or after a checkpoint's parameters were read. Here it
  // begins its update of the parameters, if it has one.
  virtual void begin() {}

  // One step on the batch in learner.batches, at the phase's learning rate. Throws Diverged.
  virtual void advance(std::int64_t step, double lr) = 0;

  // Waits for the device and reads the results of the steps so far into learner.progress. Throws Diverged.
  virtual void settle() = 0;

  // The named losses of an algorithm; with minibatches, their means since the last call.
  [[nodiscard]] virtual NamedLosses take_named_losses() { return {}; }

  // The state that a checkpoint must hold in addition to the learner.
  virtual void save(torch::serialize::OutputArchive& /*archive*/) const {}
  virtual void load(torch::serialize::InputArchive& /*archive*/) {}
};

}  // namespace pair::train

#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>

#include "pair/data/environment.h"
#include "pair/train/batch.h"
#include "pair/train/device_link.h"
#include "pair/train/minibatches.h"
#include "pair/train/settings.h"

// A run's data on its device: all of it for scores, and each step's batch, which is all training samples or a
// minibatch (minibatches.h).

namespace pair::train {

class Batches {
 public:
  Batches(const data::EnvironmentSet& data, const Settings& settings, std::uint64_t seed,
          torch::Device device);

  [[nodiscard]] const Batch& train() const { return train_; }
  [[nodiscard]] const Batch& held_out() const {
    return held_out_;
  }  // without environments where there are none

  [[nodiscard]] bool minibatches() const { return minibatches_.has_value(); }
  // Environments per step.
  [[nodiscard]] std::int64_t environments() const;

  // Before each step: writes the rows of its minibatch to where recorded work finds them.
  void begin_step(std::int64_t step, const DeviceLink& link);
  // The step's samples; inputs in 16 bits where half says so and that spares work. Can be recorded.
  [[nodiscard]] Batch of_step(bool half) const;

 private:
  Batch train_;
  Batch held_out_;
  std::int64_t batch_;  // samples per environment
  std::optional<Minibatches> minibatches_;
  torch::Tensor rows_;  // the step's minibatch, always the same memory
};

}  // namespace pair::train

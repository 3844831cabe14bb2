#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "pair/data/environment.h"
#include "pair/data/share.h"
#include "pair/train/batch.h"
#include "pair/train/device_link.h"
#include "pair/train/minibatches.h"
#include "pair/train/settings.h"
#include "pair/train/streamed_batches.h"

// A run's data: the batch of each step on the device, which is all training samples or a minibatch
// (minibatches.h); and all data for scores, on the device for a resident set, read each time for a streamed
// one (streamed_batches.h).

namespace pair::train {

class Batches {
 public:
  // data must outlive this object. Throws std::invalid_argument if the settings do not fit the data.
  // share: this process's part of the samples of each environment in each step; at least one sample of each.
  Batches(const data::EnvironmentSet& data, const Settings& settings, std::uint64_t seed,
          torch::Device device, data::Share share = {});

  [[nodiscard]] const data::EnvironmentSet& data() const { return *data_; }

  // For a resident set.
  [[nodiscard]] const Batch& train() const { return train_; }
  [[nodiscard]] const Batch& held_out() const { return held_out_; }  // without environments if there are none
  // For a streamed set; null if it is resident.
  [[nodiscard]] StreamedBatches* streamed() { return streamed_ ? &*streamed_ : nullptr; }

  [[nodiscard]] bool minibatches() const { return minibatches_ || streamed_; }
  // Environments per step, and the number to draw from.
  [[nodiscard]] std::int64_t environments() const;
  [[nodiscard]] std::int64_t all_environments() const { return all_environments_; }

  // Whether other samples measure from this step on than in the step before it (data/measuring.h).
  [[nodiscard]] bool roles_change_at(std::int64_t step) const {
    return measuring_.on() && step > 0 && measuring_.rotations(step) != measuring_.rotations(step - 1);
  }

  // The number of samples of each environment in a step, of all parts together.
  [[nodiscard]] std::vector<std::int64_t> whole_sizes() const;
  // The places of the share's samples among those: [samples], int64, on the host.
  [[nodiscard]] torch::Tensor places() const;

  // Waits until the step's samples are in memory; those of a resident set always are. See
  // StreamedBatches::await.
  void await(std::int64_t step, const std::function<bool()>& stop);
  // Call before each step: writes its minibatch, or the indices of its rows, to fixed memory that recorded
  // work reads.
  void begin_step(std::int64_t step, const DeviceLink& link);
  // The step's samples; inputs in 16 bits if `half` is set and that saves work. Can be recorded.
  [[nodiscard]] Batch of_step(bool half) const;

 private:
  // Steps on all samples: writes those that are trained on and those that measure to fixed memory.
  void assign_roles(std::int64_t step);
  // Concatenated samples of environments of these sizes, or other rows: those of the share.
  [[nodiscard]] torch::Tensor own_rows(const torch::Tensor& rows,
                                       const std::vector<std::int64_t>& sizes) const;
  // A batch of the share's samples, with the sizes of all.
  [[nodiscard]] Batch own_batch(torch::Tensor inputs, torch::Tensor labels,
                                const std::vector<std::int64_t>& sizes) const;

  const data::EnvironmentSet* data_;
  std::int64_t all_environments_;
  data::Share share_;
  data::Measuring measuring_;
  std::optional<StreamedBatches> streamed_;
  Batch train_;
  Batch held_out_;
  Batch own_train_;         // the share of train_, if it is not all and there are no minibatches
  Batch with_roles_;        // train_ by roles, if some samples measure and there are no minibatches
  torch::Tensor order_;     // measuring_rows, for with_roles_
  std::int64_t turn_ = -1;  // the rotation that with_roles_ is of
  std::int64_t batch_;      // samples per environment
  std::optional<Minibatches> minibatches_;
  torch::Tensor rows_;    // the step's minibatch, in fixed memory
  torch::Tensor chosen_;  // its environments, likewise, if they are not all
};

}  // namespace pair::train

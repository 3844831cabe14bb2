#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>
#include <vector>

#include "pair/data/task_loss.h"
#include "pair/models/model.h"
#include "pair/train/batch.h"
#include "pair/train/batches.h"
#include "pair/train/device_link.h"

namespace pair::train {

// The model's outputs in evaluation mode, [n, k] for inputs [n, ...] on the model's device; n >= 1. No graph
// is kept. The inputs are taken in parts, so that activations stay small. stop is asked before each part;
// throws Interrupted where it says so.
torch::Tensor outputs_of(models::Model& model, const torch::Tensor& inputs,
                         const std::function<bool()>& stop = {});

// How good the model, in evaluation mode, is on each environment of a batch: the share of right answers, or
// the mean squared error of a regression. Scalars in doubles on the batch's device, which is not waited for;
// no graph is kept. The batch is taken in parts, so that activations stay small. stop is asked before each
// part; throws Interrupted where it says so.
std::vector<torch::Tensor> mean_scores(models::Model& model, const Batch& batch, data::TaskLoss loss,
                                       const std::function<bool()>& stop = {});

// The same of all environments of a streamed set, training first, in bounded memory: each is read in order, a
// batch at a time. stop is asked while files are read. Throws Interrupted where it says so, and
// std::runtime_error for a file that cannot be read or is broken, or where all files of an environment are.
std::vector<double> mean_scores(models::Model& model, StreamedBatches& batches, data::TaskLoss loss,
                                const DeviceLink& link, const std::function<bool()>& stop = {});

// The scores of a run's model on all of its data, recorded where the data is resident and the device can.
class Scorer {
 public:
  // batches and link must outlive this object.
  Scorer(std::shared_ptr<models::Model> model, Batches& batches, data::TaskLoss loss, DeviceLink& link);

  // mean_scores of the training environments and then of those held out; waits for the device. Where nothing
  // is recorded, stop is asked now and then; where it says so, throws Interrupted.
  [[nodiscard]] std::vector<double> scores(const std::function<bool()>& stop);

  // Drops the recording: before the model's parameters are moved.
  void clear() { work_.clear(); }

  Scorer(const Scorer&) = delete;  // the work refers to it
  Scorer& operator=(const Scorer&) = delete;

 private:
  std::shared_ptr<models::Model> model_;
  Batches* batches_;
  data::TaskLoss loss_;
  DeviceLink* link_;
  RepeatedWork work_;
  torch::Tensor means_;  // as the work left them on the device
  std::function<bool()> stop_;
};

}  // namespace pair::train

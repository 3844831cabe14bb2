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

// The model's outputs in evaluation mode, [n, k] for inputs [n, ...] on the model's device; n >= 1. Keeps no
// graph. The inputs are processed in parts, so that activations stay small. stop is called before each part;
// throws Interrupted if it returns true.
torch::Tensor outputs_of(models::Model& model, const torch::Tensor& inputs,
                         const std::function<bool()>& stop = {});

// The score of the model, in evaluation mode, on each environment of a batch: the accuracy, or the mean
// squared error of a regression. Scalars in doubles on the batch's device, without waiting for it; keeps no
// graph. The batch is processed in parts, so that activations stay small. stop is called before each part;
// throws Interrupted if it returns true.
std::vector<torch::Tensor> mean_scores(models::Model& model, const Batch& batch, data::TaskLoss loss,
                                       const std::function<bool()>& stop = {});

// The same for all environments of a streamed set, training first, in bounded memory: each is read in order,
// one batch at a time. stop is called while files are read. Throws Interrupted if it returns true, and
// std::runtime_error for a file that cannot be read or is broken, or if all files of an environment are.
std::vector<double> mean_scores(models::Model& model, StreamedBatches& batches, data::TaskLoss loss,
                                const DeviceLink& link, const std::function<bool()>& stop = {});

// The scores of a run's model on all of its data, recorded if the data is resident and the device supports
// it.
class Scorer {
 public:
  // batches and link must outlive this object.
  Scorer(std::shared_ptr<models::Model> model, Batches& batches, data::TaskLoss loss, DeviceLink& link);

  // mean_scores of the training environments and then of the held-out ones; waits for the device. If nothing
  // is recorded, stop is called occasionally; throws Interrupted if it returns true.
  [[nodiscard]] std::vector<double> scores(const std::function<bool()>& stop);

  // Drops the recording. Call before the model's parameters are moved.
  void clear() { work_.clear(); }

  Scorer(const Scorer&) = delete;  // the work refers to it
  Scorer& operator=(const Scorer&) = delete;

 private:
  std::shared_ptr<models::Model> model_;
  Batches* batches_;
  data::TaskLoss loss_;
  DeviceLink* link_;
  RepeatedWork work_;
  torch::Tensor means_;  // results on the device
  std::function<bool()> stop_;
};

}  // namespace pair::train

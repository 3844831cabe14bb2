#pragma once

#include <torch/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pair/data/task_loss.h"
#include "pair/models/model.h"
#include "pair/objectives/objective.h"
#include "pair/train/batch.h"
#include "pair/train/batches.h"
#include "pair/train/device_link.h"
#include "pair/train/seen_outputs.h"

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
// seen, if set, gets the outputs and labels of each batch, on the device, with the environment's place in
// batches.all() and the samples of the batch (data::Environment::samples).
std::vector<double> mean_scores(models::Model& model, StreamedBatches& batches, data::TaskLoss loss,
                                const DeviceLink& link, const std::function<bool()>& stop = {},
                                const SeenOutputs& seen = {});

// The outputs of the model on held-out environments, in evaluation mode; keeps no graph. `environment` is the
// place in data.held_out, and only those that `wanted` says are computed. Resident data is processed as the
// scores are, so that they agree to the last bit, and seen is called once per environment; streamed data in
// bounded memory, with a call per batch. Throws as mean_scores does.
void see_held_out(models::Model& model, Batches& batches, const data::EnvironmentSet& data,
                  const DeviceLink& link, const std::function<bool(std::size_t environment)>& wanted,
                  const SeenOutputs& seen, const std::function<bool()>& stop = {});

// The result of scoring a run's model.
struct Scores {
  // mean_scores of the training environments, then of the held-out ones; NaN for those that are not scored.
  std::vector<double> means;
  // held_out_losses.h: one number per objective, NaN if it has none; empty without held-out parts.
  std::vector<double> held_out_losses = {};
  std::vector<double> held_out_floors = {};
  std::vector<std::pair<std::string, double>> more = {};  // data::EnvironmentSet::more_scores, by their keys
};

// The scores of a run's model on all of its data, recorded if the data is resident and the device supports
// it.
class Scorer {
 public:
  // batches, objectives and link must outlive this object. parts: held_out_parts of the data; empty: the
  // objectives are not measured.
  Scorer(std::shared_ptr<models::Model> model, Batches& batches, data::TaskLoss loss, DeviceLink& link,
         std::span<const std::unique_ptr<objectives::Objective>> objectives = {},
         std::vector<std::size_t> parts = {});

  // Waits for the device. If nothing is recorded, stop is called occasionally; throws Interrupted if it
  // returns true.
  [[nodiscard]] Scores scores(const std::function<bool()>& stop);

  // Drops the recording. Call before the model's parameters are moved.
  void clear() { work_.clear(); }

  Scorer(const Scorer&) = delete;  // the work refers to it
  Scorer& operator=(const Scorer&) = delete;

 private:
  void score_resident();
  // The scores of the training environments of a resident set; NaN for those that are not scored.
  [[nodiscard]] std::vector<torch::Tensor> resident_train_means() const;
  // The further scores of held-out environments; answers: one list per environment.
  [[nodiscard]] std::vector<std::pair<std::string, double>> further_scores(
      std::span<const std::vector<double>> answers) const;
  [[nodiscard]] Scores streamed_scores(StreamedBatches& batches, const std::function<bool()>& stop);
  // Without held-out parts, but with further scores of the data's own.
  [[nodiscard]] Scores more_scores(StreamedBatches& batches, const std::function<bool()>& stop);
  [[nodiscard]] Scores scores_from(std::vector<double> numbers) const;

  std::shared_ptr<models::Model> model_;
  Batches* batches_;
  data::TaskLoss loss_;
  DeviceLink* link_;
  std::span<const std::unique_ptr<objectives::Objective>> objectives_;
  std::vector<std::size_t> parts_;
  RepeatedWork work_;
  torch::Tensor numbers_;  // results on the device: means, held-out losses, their floors
  torch::Tensor answers_;  // those of all held-out samples, on the device, if the data has further scores
  std::function<bool()> stop_;
};

}  // namespace pair::train

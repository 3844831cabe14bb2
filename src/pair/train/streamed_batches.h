#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pair/data/environment.h"
#include "pair/data/inputs.h"
#include "pair/data/loader.h"
#include "pair/data/sampler.h"
#include "pair/train/batch.h"
#include "pair/train/settings.h"

// The batches of a streamed set, read from its source during training. Memory is bounded by the batches that
// are read ahead (data::LoaderOptions), for any number of samples.
//
// A step's batch is a function of the set, the seed and the step, without state: the loader is made for the
// requested step, so that a resumed run continues with the same batches.

namespace pair::train {

// Images of an ordered pass that are in memory at the same time, 1 to 256.
std::int64_t pictures_scored_at_once(const data::LoaderOptions& loading);

class StreamedBatches {
 public:
  // Draws settings.batch samples from each of settings.environments environments per step. data must outlive
  // this object. Throws std::invalid_argument if batch is 0, or for more environments than there are.
  // share: the part of each environment's batch that is read.
  StreamedBatches(const data::EnvironmentSet& data, const Settings& settings, std::uint64_t seed,
                  torch::Device device, data::Share share = {});

  // Environments per step.
  [[nodiscard]] std::int64_t environments() const;

  // The number of samples of each environment in a step, of all parts together.
  [[nodiscard]] std::vector<std::int64_t> whole_sizes() const;

  // Waits until the batch of that step is read. stop is called about every 20 ms; if it returns true, throws
  // Interrupted, and a later call continues waiting. Throws std::runtime_error for a file that cannot be read
  // or, unless broken files are skipped, is broken.
  void await(std::int64_t step, const std::function<bool()>& stop = {});
  // Copies the batch of that step to the device, always to the same memory, without waiting for the copy.
  // Waits like await() if that was not called.
  void begin_step(std::int64_t step);
  // The samples that begin_step copied, inputs as numbers. Can be recorded.
  [[nodiscard]] Batch of_step() const;

  [[nodiscard]] const data::EnvironmentSet& data() const { return *data_; }
  // The training environments, then the held-out ones.
  [[nodiscard]] std::vector<const data::Environment*> all() const;
  // All samples of one environment, once, in order and without augmentation, a bounded number at a time.
  [[nodiscard]] data::Loader ordered(const data::Environment& environment) const;

  // A loader's inputs, on the device, as the model takes them.
  [[nodiscard]] torch::Tensor normalised(const torch::Tensor& inputs) const { return normalisation_(inputs); }

  // Takes over a loader's notices about broken files: one sentence per file that was not reported before.
  void note(data::Loader& loader);
  [[nodiscard]] std::vector<std::string> take_notices();

 private:
  const data::EnvironmentSet* data_;
  data::LoaderOptions loading_;  // the set's; on a CUDA device in page-locked memory
  data::Sampler sampler_;
  data::Normalisation normalisation_;
  std::optional<data::Loader> loader_;      // its next batch is that of the step after ready_
  std::optional<data::LoadedBatch> ready_;  // read and not yet copied
  torch::Tensor inputs_;                    // the step's, bytes, on the device
  torch::Tensor labels_;
  torch::Tensor chosen_;  // the step's environments, if they are not all
  std::vector<std::int64_t> sizes_;
  std::set<std::string> broken_;  // ids of files that were already reported
  std::vector<std::string> notices_;
};

}  // namespace pair::train

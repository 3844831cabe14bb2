#pragma once

#include <torch/serialize.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "pair/models/model.h"
#include "pair/train/settings.h"

// The mean of a network's weights over the last steps of a run: dense averaging, as in SWAD (Cha et al.,
// "SWAD: Domain Generalization by Seeking Flat Minima", NeurIPS 2021), over a chosen share of the run.
// Training itself does not see it. BatchNorm's running statistics are averaged in the same way; counts are
// those of the last step. With statistics that are not frozen, the mean of the statistics is an estimate of
// the statistics of the mean network.

namespace pair::train {

class AveragedWeights {
 public:
  // Averages over the last settings.average * settings.steps steps, rounded up; none with 0.
  AveragedWeights(models::Model& model, const Settings& settings);

  // Steps in the average; 0: there is none yet.
  [[nodiscard]] std::int64_t count() const { return count_; }

  // Call after each step: adds the network's weights if the step counts. Does not wait for the device.
  void add(std::int64_t steps_taken);

  // While it lives, the network has the averaged weights, if there are any.
  class Use {
   public:
    explicit Use(AveragedWeights& weights);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    AveragedWeights& weights_;
    std::vector<torch::Tensor> own_;  // the network's, meanwhile
  };

  // load accepts the result of save, for the same network; without one, there is no average yet.
  void save(torch::serialize::OutputArchive& archive) const;
  void load(torch::serialize::InputArchive& archive);

 private:
  std::int64_t first_;                  // steps taken when the first weights are added
  std::vector<torch::Tensor> weights_;  // the network's: parameters, and buffers of floating-point numbers
  std::vector<torch::Tensor> means_;    // empty while there is no average
  std::int64_t count_ = 0;
};

}  // namespace pair::train

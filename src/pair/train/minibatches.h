#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

// Which samples make up the batch of each step: drawn on the device, with replacement, environment by
// environment.
//
// A draw is a function of the seed, the step and the place in the batch (splitmix64 of a counter, by Steele,
// Lea and Flood, OOPSLA 2014), so there is no state to keep: a resumed run goes on with the same batches, and
// every device draws the same. Several steps are drawn at a time, since each operation costs a launch.

namespace pair::train {

class Minibatches {
 public:
  // sizes: the samples of each environment, below 2^31; batch: those drawn of each.
  Minibatches(std::uint64_t seed, const std::vector<std::int64_t>& sizes, std::int64_t batch,
              torch::Device device);

  // Whether step's rows are drawn already, with those of its neighbours.
  [[nodiscard]] bool holds(std::int64_t step) const;

  // The rows of step's batch among all environments' samples one after another: [environments * batch],
  // int64, on the device.
  torch::Tensor rows(std::int64_t step);

 private:
  void draw(std::int64_t block);

  std::int64_t key_;
  torch::Tensor starts_;  // [environments * batch]: first row of the environment that the place belongs to
  torch::Tensor sizes_;   // [environments * batch]: and its samples
  std::int64_t block_ = -1;
  torch::Tensor drawn_;  // [steps_a_block, environments * batch]
};

}  // namespace pair::train

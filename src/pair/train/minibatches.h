#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

// The samples of each step's batch: drawn on the device, with replacement, environment by environment; from
// all environments, or from some drawn for each step (the paper's Algorithm 1).
//
// A draw is a function of the seed, the step and the place in the batch (models/counter_random.h), without
// state: a resumed run continues with the same batches, and every device draws the same. Several steps are
// drawn at a time, since each operation costs a launch.

namespace pair::train {

class Minibatches {
 public:
  // sizes: the number of samples of each environment, below 2^31; batch: the number drawn from each;
  // environments: the number per step, drawn without replacement; 0 means all. Throws std::invalid_argument
  // for more than there are.
  Minibatches(std::uint64_t seed, const std::vector<std::int64_t>& sizes, std::int64_t batch,
              torch::Device device, std::int64_t environments = 0);

  // Environments per step.
  [[nodiscard]] std::int64_t environments() const { return chosen_; }

  // Whether the rows of the step are already drawn, with those of its neighbours.
  [[nodiscard]] bool holds(std::int64_t step) const;

  // The rows of the step's batch among the concatenated samples of all environments: [environments() *
  // batch], int64, on the device; by environment, in ascending order.
  torch::Tensor rows(std::int64_t step);

  // The environments of the step's rows: [environments()], int64, on the device, ascending.
  torch::Tensor environments_of(std::int64_t step);

 private:
  void draw(std::int64_t block);
  [[nodiscard]] torch::Tensor draw_environments(std::int64_t block) const;

  std::int64_t key_;
  std::int64_t environment_key_;
  std::int64_t batch_;
  std::int64_t chosen_;
  torch::Tensor starts_;  // [all environments]: first row of each
  torch::Tensor sizes_;   // [all environments]: number of samples of each
  std::int64_t block_ = -1;
  torch::Tensor drawn_;         // [steps_a_block, chosen_ * batch_]
  torch::Tensor environments_;  // [steps_a_block, chosen_]
};

}  // namespace pair::train

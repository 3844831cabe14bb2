#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pair/data/measuring.h"

// The samples of each step's batch: drawn on the device, with replacement, environment by environment; from
// all environments, or from some drawn for each step (the paper's Algorithm 1).
//
// A draw is a function of the seed, the step and the place in the batch (models/counter_random.h), without
// state: a resumed run continues with the same batches, and every device draws the same. Several steps are
// drawn at a time, since each operation costs a launch.

namespace pair::train {

// Throws std::invalid_argument unless per_step, the setting environments, is from 0 to all, the number of
// training environments.
void require_environments(std::int64_t per_step, std::size_t all);

class Minibatches {
 public:
  // sizes: the number of samples of each environment, below 2^31; batch: the number drawn from each;
  // environments: the number per step, drawn without replacement; 0 means all; measuring: as for
  // data::Sampler. Throws std::invalid_argument for more environments than there are, and if measuring is on
  // and a batch or an environment has fewer than two samples.
  Minibatches(std::uint64_t seed, const std::vector<std::int64_t>& sizes, std::int64_t batch,
              torch::Device device, std::int64_t environments = 0, data::Measuring measuring = {});

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
  // The drawn rows [steps_a_block, places] for random bits of that shape, 31 each, of the environments of
  // places.
  [[nodiscard]] torch::Tensor plain_rows(const torch::Tensor& bits, const torch::Tensor& of_places) const;
  [[nodiscard]] torch::Tensor rows_by_role(const torch::Tensor& bits, const torch::Tensor& of_places,
                                           std::int64_t block) const;

  std::int64_t key_;
  std::int64_t environment_key_;
  std::int64_t batch_;
  std::int64_t chosen_;
  torch::Tensor starts_;  // [all environments]: first row of each
  torch::Tensor sizes_;   // [all environments]: number of samples of each
  data::Measuring measuring_;
  torch::Tensor order_;      // [samples]: measuring_order of each environment, as rows; if some measure
  torch::Tensor measurers_;  // [all environments]: number of samples that measure
  std::int64_t block_ = -1;
  torch::Tensor drawn_;         // [steps_a_block, chosen_ * batch_]
  torch::Tensor environments_;  // [steps_a_block, chosen_]
};

// data::measuring_order of environments of these sizes, as rows of their concatenated samples: [samples],
// int64, on the host. Throws std::invalid_argument if an environment has fewer than two.
torch::Tensor measuring_rows(std::uint64_t seed, const std::vector<std::int64_t>& sizes);

}  // namespace pair::train

#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "pair/data/share.h"

namespace pair::train {

// The samples of one step that measure the moments and give no gradient (data/measuring.h), by environment.
struct MeasuringSamples {
  torch::Tensor inputs;  // undefined: the batch's own samples measure
  torch::Tensor labels;
  std::vector<std::int64_t> sizes;
};

// The samples of one step, ordered by environment.
struct Batch {
  torch::Tensor inputs;
  torch::Tensor labels;
  std::vector<std::int64_t> sizes;
  // The sizes of the whole batch, if this is one rank's part of it (ranks.h); otherwise empty.
  std::vector<std::int64_t> whole = {};
  // If a step takes some of the training environments: which, [environments], int64, on the device,
  // ascending; and the number of all. Otherwise undefined.
  torch::Tensor environments = {};
  std::int64_t all_environments = 0;
  MeasuringSamples measuring = {};
};

// The batch of environments of equal size whose first `count` samples each are its measuring samples.
Batch with_roles(const Batch& batch, std::int64_t count);

// A share of every environment's rows, of rows [n, ...] that are ordered by environment, with these sizes.
torch::Tensor rows_of_share(const torch::Tensor& rows, const std::vector<std::int64_t>& sizes,
                            data::Share share);

}  // namespace pair::train

#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace pair::train {

// The samples of one step, ordered by environment.
struct Batch {
  torch::Tensor inputs;
  torch::Tensor labels;
  std::vector<std::int64_t> sizes;
};

}  // namespace pair::train

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
  // The sizes of the whole batch, if this is one rank's part of it (ranks.h); otherwise empty.
  std::vector<std::int64_t> whole = {};
};

}  // namespace pair::train

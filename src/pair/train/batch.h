#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace pair::train {

// One step's samples, the environments one after another.
struct Batch {
  torch::Tensor inputs;
  torch::Tensor labels;
  std::vector<std::int64_t> sizes;
};

}  // namespace pair::train

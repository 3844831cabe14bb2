#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pair/data/task_loss.h"

// Data as training sees it: a handful of environments, each a distribution over inputs and labels.

namespace pair::data {

struct Environment {
  std::string name;      // for records and reports, "beta=0.1"
  torch::Tensor inputs;  // [n, ...] float
  torch::Tensor labels;  // [n]: float for binary and regression tasks, int64 for classes
};

struct EnvironmentSet {
  std::string name;
  TaskLoss loss = TaskLoss::binary_cross_entropy;
  std::int64_t outputs = 1;  // logits an input: 1 for binary and regression tasks, else the classes
  std::vector<Environment> train;
  std::vector<Environment> test;
};

}  // namespace pair::data

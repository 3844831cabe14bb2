#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pair/data/task_loss.h"

// Data as training sees it: a handful of environments, each a distribution over inputs and labels.

namespace pair::data {

struct Environment {
  std::string key;       // what its scores are called in records: "env0_in" becomes "env0_in_acc"
  torch::Tensor inputs;  // [n, ...] float
  torch::Tensor labels;  // [n]: float for binary and regression tasks, int64 for classes
  bool test = false;     // whether it counts for the worst test accuracy
};

struct EnvironmentSet {
  std::string name;
  TaskLoss loss = TaskLoss::binary_cross_entropy;
  std::int64_t outputs = 1;  // logits an input: 1 for binary and regression tasks, else the classes
  std::vector<Environment> train;
  std::vector<Environment> held_out;  // scored, never trained on
};

}  // namespace pair::data

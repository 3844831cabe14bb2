#pragma once

#include <torch/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/task_loss.h"

// Predictions from a model's outputs, and their scores. A dataset's entry names its metrics (registry.h); a
// new metric is one entry of metrics.cpp.
//
// Outputs are [n, k] as a model gives them: one logit for binary tasks, a logit per class, or one number for
// regressions. Labels are [n], as environment.h has them. Nothing here waits for a device.

namespace pair::data {

// The predicted labels [n]: class numbers (int64), or the values of a regression.
torch::Tensor answers(TaskLoss loss, const torch::Tensor& outputs);

// [n, classes] of classification tasks, two columns for binary ones.
torch::Tensor probabilities(TaskLoss loss, const torch::Tensor& outputs);

// Doubles [n]: 1 for a right answer and 0 for a wrong one; the squared error for regressions.
torch::Tensor sample_scores(TaskLoss loss, const torch::Tensor& outputs, const torch::Tensor& labels);

struct Metric {
  std::string name;
  std::string summary;       // one line
  bool regression = false;   // whether it is for regressions; else it is for classes
  bool high_is_good = true;  // else low is
  bool in_unit = false;  // whether the value of a standardised label is multiplied by the label's deviation
  // The value for one environment, n >= 1: a double scalar on the outputs' device.
  std::function<torch::Tensor(TaskLoss, const torch::Tensor& outputs, const torch::Tensor& labels)> of = {};
};

// All of them, in the order in which they are listed to users.
const std::vector<Metric>& metrics();

// Throws std::invalid_argument that names the nearest and lists them all.
const Metric& metric_named(std::string_view name);

// The metrics of these names or, for no names, the one that records have: accuracy or mse. Throws as above,
// and std::invalid_argument for a metric that is not for such a task.
std::vector<Metric> metrics_for(TaskLoss loss, const std::vector<std::string>& names);

}  // namespace pair::data

#pragma once

#include <string_view>

namespace pair::data {

// The loss of a prediction, given its label.
enum class TaskLoss {
  binary_cross_entropy,  // one logit z, y in {0, 1}: log(1 + exp(z)) - y z
  cross_entropy,         // K logits, y in {0..K-1}: logsumexp(z) - z_y
  squared_error          // one output z, y real: (z - y)^2
};

std::string_view to_string(TaskLoss loss);
// Throws std::invalid_argument that lists the names: bce, ce, mse.
TaskLoss task_loss_from(std::string_view name);

}  // namespace pair::data

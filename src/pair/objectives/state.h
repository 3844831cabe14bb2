#pragma once

#include <torch/types.h>

#include <span>
#include <string_view>
#include <vector>

// The state of an objective between steps: one tensor, undefined before the first step.

namespace pair::objectives {

// Moves `remembered` to the device and type of `current`. Throws std::invalid_argument if their shapes
// differ: the batch has other environments, or the head another size, than in the steps before.
void match_state(std::string_view objective, torch::Tensor& remembered, const torch::Tensor& current);

// Writes in place after the first step, so that a captured CUDA graph replays the update. Numbers that are not
// finite are left out: their step is refused (train/guard.h), but they would stay.
void update_state(torch::Tensor& remembered, const torch::Tensor& current);

// For Objective::state and restore: a copy that later steps do not change.
std::vector<torch::Tensor> saved_state(const torch::Tensor& remembered);
torch::Tensor restored_state(std::string_view objective, std::span<const torch::Tensor> state);

}  // namespace pair::objectives

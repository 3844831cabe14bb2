#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pair/data/environment.h"
#include "pair/data/task_loss.h"
#include "pair/objectives/objective.h"

// The objectives on samples of the training environments that are not trained on. Training losses do not tell
// an invariant model from one that has memorised its samples: a network can make risks equal on the samples
// that it knows. Only objectives are measured that are functions of moments (moments.h), have no state and
// are replayable(): they need the logits, which scores need as well. Others would need all features at once,
// or measuring them would change the training.

namespace pair::train {

// Positions in data.held_out of the held-out parts of the training environments, in the order of data.train:
// that of "env0_in" is "env0_out". Empty unless every training environment has one. Test environments and
// their parts never count.
std::vector<std::size_t> held_out_parts(const data::EnvironmentSet& data);

// [2, m] doubles: the objectives' values and their noise floors (noise_floor.h) for logits [n, k] and labels
// [n] of samples ordered by environment; NaN for objectives that are not measured or have no floor. Does not
// wait for the device.
torch::Tensor held_out_losses(std::span<const std::unique_ptr<objectives::Objective>> objectives,
                              data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                              const std::vector<std::int64_t>& sizes);

}  // namespace pair::train

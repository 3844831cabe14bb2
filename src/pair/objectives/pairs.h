#pragma once

#include <torch/types.h>

#include <functional>

#include "pair/objectives/objective.h"

namespace pair::objectives {

// The mean of a distance between the features of two environments, [m, d] and [n, d], over all pairs of
// environments; 0 if there is no pair.
torch::Tensor mean_over_pairs(
    const HeadView& view,
    const std::function<torch::Tensor(const torch::Tensor&, const torch::Tensor&)>& distance);

}  // namespace pair::objectives

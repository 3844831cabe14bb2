#pragma once

#include <torch/types.h>

#include <functional>

#include "pair/objectives/objective.h"

namespace pair::objectives {

// The mean of a distance between two environments' features, [m, d] and [n, d], over all pairs of
// environments; 0 where there is no pair.
torch::Tensor mean_over_pairs(
    const HeadView& view,
    const std::function<torch::Tensor(const torch::Tensor&, const torch::Tensor&)>& distance);

}  // namespace pair::objectives

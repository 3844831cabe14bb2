#pragma once

#include <torch/types.h>

#include <functional>
#include <string_view>

#include "pair/objectives/objective.h"

namespace pair::objectives {

// The mean of a distance between two environments' features, [m, d] and [n, d], over all pairs of
// environments. Throws std::invalid_argument that names the objective where there is no pair.
torch::Tensor mean_over_pairs(
    std::string_view objective, const HeadView& view,
    const std::function<torch::Tensor(const torch::Tensor&, const torch::Tensor&)>& distance);

}  // namespace pair::objectives

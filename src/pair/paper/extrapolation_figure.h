#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pair/plot/figure.h"

namespace pair::paper {

// What extrapolation() (extrapolation.h) gives, drawn: the truth and each method's predictions over the
// square, with the places that training data came from. Where a prediction does not depend on x2 its lines
// of equal value are upright.
plot::Figure extrapolation_figure(const nlohmann::json& result);

}  // namespace pair::paper

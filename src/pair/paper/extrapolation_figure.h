#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pair/plot/figure.h"

namespace pair::paper {

// Draws the result of extrapolation() (extrapolation.h): the true function and each method's predictions over
// the square, with the regions of the training data. If a prediction does not depend on x2, its contour lines
// are vertical.
plot::Figure extrapolation_figure(const nlohmann::json& result);

}  // namespace pair::paper

#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pair/plot/figure.h"

namespace pair::paper {

// The picture of failure(...) (failure.h), three panels as in the paper's Sec. 3 and Appendix C: the
// constraint curves of all environments with every predictor that satisfies them, over the ERM loss; the
// variance of the risks with the lines on which it is zero; the Pareto front of the first two environments'
// risks.
plot::Figure failure_figure(const nlohmann::json& failure);

}  // namespace pair::paper

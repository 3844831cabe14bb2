#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pair/plot/figure.h"

namespace pair::paper {

// The figure of failure(...) (failure.h), with three panels as in the paper's Sec. 3 and Appendix C: the
// constraint curves of all environments with every predictor that satisfies them, over the ERM loss; the
// variance of the risks with the lines where it is zero; the Pareto front of the risks of the first two
// environments.
plot::Figure failure_figure(const nlohmann::json& failure);

}  // namespace pair::paper

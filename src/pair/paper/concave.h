#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pair/plot/figure.h"

// Figure 1c of the paper, made measurable: on a concave Pareto front, gradient steps on a weighted sum of the
// losses end at its ends for any weights, and steps with EPO's weights end at the preferred point. The
// problem is Fonseca and Fleming's (moo/test_problems.h); the paper draws its front by hand.

namespace pair::paper {

struct ConcaveRequest {
  std::size_t rays = 9;     // preferences at equal angles, and as many weights for the sum. 1 to 1000
  std::size_t steps = 500;  // of length 0.1 times the weighted gradient. 1 to 1e6
};

//   {"name": "fig-concave", "steps": ..,
//    "front": [[f_1, f_2], ..], "inflections": [[f_1, f_2], ..],      between which the front is concave
//    "start": [f_1, f_2],
//    "runs": [{"preference": [..], "preferred": [f_1, f_2], "epo": {"end": [f_1, f_2], "path": [..],
//    "distance":
//              ..}, "linear": {the same}}, ..],       distance: of the end from the preferred point
//    "reached": {"epo": .., "linear": ..}}            the number of runs that end within 0.02 of it
//
// The linear runs have the preference as their weights. Throws std::invalid_argument for values out of range.
nlohmann::json concave(const ConcaveRequest& request = {});

std::string concave_text(const nlohmann::json& result);
plot::Figure concave_figure(const nlohmann::json& result);

}  // namespace pair::paper

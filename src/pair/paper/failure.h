#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pair/data/two_bit.h"

// Why IRMv1 fails, and the effect of adding V-REx, on two-bit environments: the numbers behind the paper's
// figures of the failure case, the variance of the risks and the Pareto front (Sec. 3 for the square loss,
// Appendix C for the logistic loss).

namespace pair::paper {

struct FailureOptions {
  std::size_t grid = 121;          // values along each axis of the landscapes; 2 to 2000
  std::size_t curve_points = 360;  // points per constraint curve; 8 to 100000
  std::size_t front_points = 101;  // points of the Pareto front; 2 to 100000
};

// The content of the figure. Predictors are pairs [f(1,1), f(1,-1)], and axes have the same order. The Pareto
// front is that of the first two environments.
//
//   {"name": "fig-failure", "loss": "square", "alpha": 0.1, "betas": [0.11, 0.4],
//    "window": {"low": [u, v], "high": [u, v]},     the part of the plane that landscapes cover
//    "points": [{"name": "f_0", "f": [u, v],        f_0, f_IRM, then f_1, f_2 if they exist, then the ERM
//                "risks": [R_1, R_2],               optimum, f_ERM
//                "derivatives": [D_1, D_2],         0 if the predictor satisfies IRM_S
//                "erm": .., "irmv1": .., "vrex": ..,
//                "irm_s": true, "zero_variance": false}, ..],
//    "constraints": [{"beta": 0.11, "curve": [[u, v], ..]}, ..],
//                                                   D_e = 0, one per environment, closed; the first point is
//                                                   not repeated
//    "zero_variance": [[[u, v], [u, v]], ..],       the lines on which all risks are equal, cut at the
//    window;
//                                                   under the logistic loss only the diagonal
//    "landscape": {"u": [..], "v": [..],            u: values of f(1,1); v: of f(1,-1)
//                  "erm": [[..], ..],               erm[row][column] at v[row], u[column]
//                  "irmv1": .., "vrex": ..},        the same
//    "pareto": {"front": [{"beta": .., "f": [u, v], "risks": [R_1, R_2]}, ..],
//                                                   predictors with no other odd predictor below in both
//                                                   risks; from the optimum of environment 1 to that of 2
//               "zero_variance": [[R, R], [R', R']]}}
//                                                   the range of R_1 = R_2, from its minimum, at f_IRM, to
//                                                   the edge of the figure
//
// Throws std::invalid_argument for an invalid spec or options.
nlohmann::json failure(const data::two_bit::Spec& spec, const FailureOptions& options = {});

// The points with their losses, as text.
std::string failure_text(const nlohmann::json& failure);

}  // namespace pair::paper

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pair/data/two_bit.h"

// Why PAIR-o with plain EPO can stop halfway on two-bit environments, in numbers.
//
// On the curve of predictors that are optimal for some beta, from the ERM optimum (the mean beta) to f_IRM
// (beta = 1/2), the gradients of all risks are parallel, and those of ERM and V-REx opposed: the whole curve
// is Pareto-stationary, and a solver must trade one for the other to get along it. EPO does so only where its
// direction g_b points that way.

namespace pair::paper {

//   {"name": "stall", "loss": .., "alpha": .., "betas": [..], "preference": [..], "epsilon": ..,
//    "points": [{"beta": .., "f": [u, v], "losses": [ERM, IRMv1, V-REx],
//                "norms": [..],                   of the gradients
//                "cosine_erm_vrex": .., "cosine_irmv1_vrex": ..,      null where a gradient vanishes
//                "pareto_stationarity": ..,       of all three, as a share of the most violated one's
//                gradient "adjustment": [..],              a_i of g_b = sum_i a_i g_i "worst": "vrex", the
//                most violated objective "pull": ..,                      cosine of g_b with that one's
//                gradient: EPO stalls below 0 "weights": [..], "speed": ..,    EPO's, and the rate at which
//                they lower the most violated
//                                                 objective, as a share of what its own gradient would do
//                "stalls": true}, ..]}            pull <= 0
//
// Throws std::invalid_argument for a spec or a preference that cannot be used.
nlohmann::json stall(const data::two_bit::Spec& spec, const std::vector<double>& preference = {1, 1e10, 1e12},
                     double epsilon = 1e-4);

std::string stall_text(const nlohmann::json& result);

}  // namespace pair::paper

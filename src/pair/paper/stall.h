#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pair/data/two_bit.h"

// Why PAIR-o with plain EPO can stop halfway on two-bit environments.
//
// Consider the curve of predictors that are optimal for some beta, from the ERM optimum (the mean beta) to
// f_IRM (beta = 1/2). On it, the gradients of all risks are parallel, and those of ERM and V-REx opposed: the
// whole curve is Pareto-stationary, and a solver must trade one for the other to move along it. EPO does so
// only where its direction g_b points that way.

namespace pair::paper {

//   {"name": "stall", "loss": .., "alpha": .., "betas": [..], "preference": [..], "epsilon": ..,
//    "points": [{"beta": .., "f": [u, v], "losses": [ERM, IRMv1, V-REx],
//                "norms": [..],                   of the gradients
//                "cosine_erm_vrex": .., "cosine_irmv1_vrex": ..,      null if a gradient vanishes
//                "pareto_stationarity": ..,       of all three, relative to the gradient of the most violated
//                "adjustment": [..],              a_i of g_b = sum_i a_i g_i
//                "worst": "vrex",                 the most violated objective
//                "pull": ..,                      cosine of g_b with its gradient: EPO stalls below 0
//                "weights": [..], "speed": ..,    EPO's weights, and how fast they lower the most violated
//                                                 objective, relative to its own gradient
//                "stalls": true}, ..]}            pull <= 0
//
// Throws std::invalid_argument for an invalid spec or preference.
nlohmann::json stall(const data::two_bit::Spec& spec, const std::vector<double>& preference = {1, 1e10, 1e12},
                     double epsilon = 1e-4);

std::string stall_text(const nlohmann::json& result);

}  // namespace pair::paper

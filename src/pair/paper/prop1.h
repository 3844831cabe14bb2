#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pair/data/two_bit.h"

// Proposition 1 by numbers: on two-bit environments I_S and I_X together leave what IRM leaves, f_0 and
// f_IRM. And the failure that it mends: when I_S alone has more, and when that has the lower ERM loss.

namespace pair::paper {

struct Prop1Grid {
  std::vector<double> alphas;  // in (0, 1)
  std::vector<double> betas;   // in (0, 1), different; every pair of them is a case

  // alpha 0.01, 0.02, ..., 0.99 and beta 0.1, 0.2, ..., 0.9.
  static Prop1Grid standard();
};

// Whether an environment pair fails IRM_S under the square loss. With t = (1 - 2 alpha)^2, f_1 and f_2 are in
// I_S where t > 1/2, that is alpha < 0.1464 or alpha > 0.8536 (the paper prints 0.8356); one of them has a
// lower ERM loss than f_IRM where also (1 - 2 mean beta)^2 > t (2 t - 1).
bool square_loss_has_more(double alpha);
bool square_loss_fails(double alpha, double mean_beta);

// The alpha below 1/2 at which f_1 and f_2 part from f_IRM, found by bisection on what the root finder finds.
double failure_threshold(data::two_bit::Loss loss);

// Both losses over the grid:
//   {"name": "prop1", "holds": true, "alphas": [..], "betas": [..],
//    "losses": [{"loss": "square", "cases": .., "holds": ..,    cases, and those in which I_S n I_X = {f_0,
//    f_IRM}
//                "location_error": ..,        largest distance of f_0 and f_IRM found from their formulas
//                "spread": ..,                largest difference of the risks at them
//                "nearest_other": ..,         least difference of the risks, a unit of beta, at other points
//                of
//                                             I_S; null without any
//                "more_than_irm": ..,         cases in which I_S has other points
//                "lower_erm": ..,             ... and one of them has a lower ERM loss than f_IRM
//                "threshold": ..,             failure_threshold
//                "threshold_formula": ..,     what it should be
//                "f_1_error": ..,             square loss: largest distance of f_1, f_2 from their formulas
//                "misjudged": ..}, ..],       square loss: cases that square_loss_fails gets wrong
//    "circle": {"cases": .., "derivative": .., "spread": .., "distance": .., "off_circle": ..}}
// The circle is that of the proof: predictors that are not odd, square loss. derivative and spread: largest
// |D_e| and difference of risks on it, over the grid; distance: of f_0 and f_IRM from it; off_circle: least
// |D_e| one tenth of its radius inside or outside of it, as a share of its squared radius.
//
// progress, if given, hears the share done. Throws std::invalid_argument for values out of range.
nlohmann::json prop1(const Prop1Grid& grid = Prop1Grid::standard(),
                     const std::function<void(double)>& progress = {});

std::string prop1_text(const nlohmann::json& result);

}  // namespace pair::paper

#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pair/data/two_bit.h"

// A numerical check of Proposition 1: on two-bit environments, I_S and I_X together leave the same predictors
// as IRM, f_0 and f_IRM. Also the failure that this avoids: when I_S alone has more predictors, and when one
// of them has a lower ERM loss.

namespace pair::paper {

struct Prop1Grid {
  std::vector<double> alphas;  // in (0, 1)
  std::vector<double> betas;   // in (0, 1), distinct; every pair of them is a case

  // alpha 0.01, 0.02, ..., 0.99 and beta 0.1, 0.2, ..., 0.9.
  static Prop1Grid standard();
};

// Whether a pair of environments fails IRM_S under the square loss. With t = (1 - 2 alpha)^2, f_1 and f_2 are
// in I_S if t > 1/2, that is alpha < 0.1464 or alpha > 0.8536 (the paper prints 0.8356). One of them has a
// lower ERM loss than f_IRM if also (1 - 2 mean beta)^2 > t (2 t - 1).
bool square_loss_has_more(double alpha);
bool square_loss_fails(double alpha, double mean_beta);

// The alpha below 1/2 at which f_1 and f_2 separate from f_IRM, by bisection on the root finder's results.
double failure_threshold(data::two_bit::Loss loss);

// Both losses over the grid:
//   {"name": "prop1", "holds": true, "alphas": [..], "betas": [..],
//    "losses": [{"loss": "square", "cases": .., "holds": ..,    cases, and those with I_S n I_X = I
//                "location_error": ..,        largest distance of f_0 and f_IRM found from their formulas
//                "spread": ..,                largest difference of the risks at them
//                "nearest_other": ..,         smallest difference of the risks, per unit of beta, at other
//                                             points of I_S; null if there are none
//                "more_than_irm": ..,         cases where I_S has other points
//                "lower_erm": ..,             ... and one of them has a lower ERM loss than f_IRM
//                "threshold": ..,             failure_threshold
//                "threshold_formula": ..,     its theoretical value
//                "f_1_error": ..,             square loss: largest distance of f_1, f_2 from their formulas
//                "misjudged": ..}, ..],       square loss: cases that square_loss_fails gets wrong
//    "circle": {"cases": .., "derivative": .., "spread": .., "distance": .., "off_circle": ..}}
// The circle is that of the proof: predictors that are not odd, square loss. derivative and spread: largest
// |D_e| and difference of risks on it, over the grid; distance: of f_0 and f_IRM from it; off_circle:
// smallest |D_e| a tenth of its radius inside or outside of it, as a fraction of its squared radius.
//
// progress, if given, is called with the fraction done. Throws std::invalid_argument for values out of range.
nlohmann::json prop1(const Prop1Grid& grid = Prop1Grid::standard(),
                     const std::function<void(double)>& progress = {});

std::string prop1_text(const nlohmann::json& result);

}  // namespace pair::paper

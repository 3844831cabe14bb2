#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pair/data/two_bit.h"

// The odd predictors of the two-bit environments that count as invariant.
//
//   I_S   D_e(f) = 0 in every environment: the constraint of IRM_S and IRMv1
//   I_X   R_e(f) is the same in every environment: the constraint of V-REx
//   I     f_0 and f_IRM: the constraint of IRM (Kamath et al. 2021, Proposition 5)

namespace pair::paper {

struct Invariant {
  // f_0    the zero predictor
  // f_IRM  uses X1 alone
  // f_1    f(1,1) > f(1,-1): relies on X2 if X2 agrees with the label more often than not
  // f_2    f(1,1) < f(1,-1)
  // If there are more, f_3 and so on.
  std::string name;
  data::two_bit::Odd f;
};

// Every odd predictor of I_S, in the order above. At alpha = 1/2, f_0 and f_IRM are the same point.
//
// The search needs no starting point. D_e is the sum of a function of f(1,1) and one of f(1,-1), each of
// which decreases to one minimum and then increases, so its range over a box follows from the corners.
// Starting from a box that contains all zeros, boxes without a zero of every D_e are discarded. After
// bisection to 1e-4 of that box, the remaining ones are refined by Newton's method.
std::vector<Invariant> irms_invariants(const data::two_bit::Spec& spec);

// max_e R_e - min_e R_e, which is zero on I_X.
double risk_spread(const data::two_bit::Spec& spec, const data::two_bit::Odd& f);

// The closed curve D_e = 0 of one environment as `count` points at equal angles around its middle; the first
// is not repeated. Every ray from the minimum of D_e crosses it once.
std::vector<data::two_bit::Odd> irms_curve(data::two_bit::Loss loss, double alpha, double beta,
                                           std::size_t count);

}  // namespace pair::paper

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pair/data/two_bit.h"

// Which odd predictors of the two-bit environments count as invariant.
//
//   I_S   D_e(f) = 0 in every environment: what IRM_S and IRMv1 ask for
//   I_X   R_e(f) is the same in every environment: what V-REx asks for
//   I     f_0 and f_IRM: what IRM asks for (Kamath et al. 2021, Proposition 5)

namespace pair::paper {

struct Invariant {
  // f_0    the zero predictor
  // f_IRM  the one that uses X1 alone
  // f_1    f(1,1) > f(1,-1): leans on X2 where X2 agrees with the label more often than not
  // f_2    f(1,1) < f(1,-1)
  // Should there be more, f_3 and so on.
  std::string name;
  data::two_bit::Odd f;
};

// Every odd predictor of I_S, in the order above; at alpha = 1/2, where they are the same, f_0 and f_IRM
// stand for one point.
//
// Found without a starting point to guess. D_e is the sum of a function of f(1,1) and one of f(1,-1), each of
// which falls to one minimum and rises again; its range over a box is therefore known from the corners, and
// boxes without a zero of every D_e are thrown away, starting from one that holds all zeros. What is left
// after bisection to 1e-4 of that box is polished by Newton's method.
std::vector<Invariant> irms_invariants(const data::two_bit::Spec& spec);

// max_e R_e - min_e R_e: zero on I_X.
double risk_spread(const data::two_bit::Spec& spec, const data::two_bit::Odd& f);

// The curve D_e = 0 of one environment, closed, as `count` points at equal angles around its middle; the
// first is not repeated. Every ray from the minimum of D_e meets it once.
std::vector<data::two_bit::Odd> irms_curve(data::two_bit::Loss loss, double alpha, double beta,
                                           std::size_t count);

}  // namespace pair::paper

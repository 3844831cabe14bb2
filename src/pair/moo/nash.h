#pragma once

#include "pair/moo/solver.h"

// Nash-MTL (Navon et al. 2022): the direction is the bargaining solution, which maximises the product of
// the objectives' improvements, so that no objective's scale counts. Ignores the preference.
//
//     C w = 1 / w   (elementwise),   w > 0
//
// is where 1/2 w^T C w - sum_i log w_i is least: a self-concordant function, so damped Newton steps reach
// it from anywhere, to rounding, where the source's code solves a sequence of approximations.
//
// Where the gradients balance out (no common descent direction exists, a vanished gradient included) the
// bargain has no solution: the weights are those of the minimum norm, with status infeasible.
//
// Solution::objective is the squared norm of the direction of the normalised weights.

namespace pair::moo {

class Nash : public Solver {
 public:
  [[nodiscard]] Solution weigh(const Problem& problem) const override;
};

}  // namespace pair::moo

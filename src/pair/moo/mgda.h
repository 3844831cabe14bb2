#pragma once

#include "pair/moo/solver.h"

// MGDA (Desideri 2012; Sener and Koltun 2018): the minimum-norm combination of the gradients, a direction
// that lowers every objective wherever one exists. Ignores the preference.
//
// Solution::objective is the squared norm of the direction; 0 at a Pareto-stationary point.

namespace pair::moo {

class Mgda : public Solver {
 public:
  [[nodiscard]] Solution weigh(const Problem& problem) const override;
};

}  // namespace pair::moo

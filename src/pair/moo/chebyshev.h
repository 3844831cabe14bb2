#pragma once

#include "pair/moo/solver.h"

// Weighted Chebyshev scalarisation: minimises max_i p_i L_i, so all weight goes to the most violated
// objective. Reaches concave fronts, but lets the other objectives grow freely meanwhile.
//
//     w_i = 1 / |J*| for i in J* = {i : p_i L_i is largest},  else 0
//
// Solution::objective is the largest share p_i L_i / sum_j p_j L_j, 1/m on the preferred ray.

namespace pair::moo {

class Chebyshev : public Solver {
 public:
  [[nodiscard]] Solution weigh(const Problem& problem) const override;
};

}  // namespace pair::moo

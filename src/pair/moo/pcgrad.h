#pragma once

#include "pair/moo/solver.h"

// PCGrad, gradient surgery (Yu et al. 2020): each gradient loses its component along every other one that
// it conflicts with, and the results are added up. Ignores the preference.
//
//     for each i:  d = g_i;  for j != i in some order:  if d . g_j < 0:  d -= (d . g_j / |g_j|^2) g_j
//     direction = sum over i of d
//
// The source draws the order at random. Here the mean over all orders is taken for up to six objectives
// and over the m - 1 rotations of the natural order beyond, so that the result is a function of the
// problem alone.
//
// Solution::objective is the squared norm of the direction of the normalised weights.

namespace pair::moo {

class PcGrad : public Solver {
 public:
  [[nodiscard]] Solution weigh(const Problem& problem) const override;
};

}  // namespace pair::moo

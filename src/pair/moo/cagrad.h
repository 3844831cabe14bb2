#pragma once

#include "pair/moo/solver.h"

// CAGrad, conflict-averse gradient descent (Liu et al. 2021): of all directions within a ball around the
// mean gradient g_0, the one that improves the worst objective most. Ignores the preference.
//
//     w* = argmin over the simplex of  g_w . g_0 + radius |g_0| |g_w|,   g_w = sum_i w_i g_i
//     direction = g_0 + radius |g_0| / |g_w*| g_w*
//
// With |g| = min over t > 0 of (|g|^2 / t + t) / 2, the dual is a quadratic program for each t, and t is
// found where t = |g_w|, by bisection.
//
// Solution::objective is the dual's optimum.

namespace pair::moo {

class CaGrad : public Solver {
 public:
  // radius in [0, 1): 0 is the mean gradient, towards 1 the direction approaches MGDA's.
  explicit CaGrad(double radius = SolverOptions{}.radius);
  [[nodiscard]] Solution weigh(const Problem& problem) const override;

 private:
  double radius_;
};

}  // namespace pair::moo

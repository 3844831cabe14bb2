#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pair/moo/double_double.h"

// Linear programs on the probability simplex, exactly:
//
//     maximise  c . x   subject to   A x >= b,   x >= 0,   sum(x) = 1.
//
// Why our own solver and not an LP package. EPO's programs have a handful of variables, and their rows
// differ in scale by as much as the gradients do, squared: 1e24. A general package decides feasibility by
// absolute tolerances (1e-7 or so) that mean nothing there; it spends tens of microseconds setting up
// where the arithmetic takes one; and every package brings a dependency or a licence. Here every decision
// is a comparison of two numbers of the same unit in 32-digit arithmetic, so that scaling the objective,
// a row or a variable by any positive constant changes no decision.
//
// The method: the best vertex of the simplex, e_q with q = argmax c, satisfies the optimality conditions
// and perhaps not A x >= b; from there the dual simplex method restores one constraint after another
// (Bland's rule). No first phase is needed, and an infeasible program shows as a row that nothing can
// restore. The table knows its own rounding (dictionary.h). Where a sign that the verdict hangs on does not
// stand out from it, as when gradients are dependent, the last steps are done without rounding, for programs
// of up to 20 variables; beyond, such a number counts as zero.

namespace pair::moo {

struct SimplexLp {
  std::span<const DoubleDouble> objective;  // c, m values; double-double since EPO's is itself a sum
  std::span<const double> rows;             // A, row-major k x m; k = bounds.size()
  std::span<const double> bounds;           // b, k values
};

struct SimplexLpSolution {
  std::vector<DoubleDouble> x;  // a vertex of the feasible set
  DoubleDouble objective;       // c . x, to 1e-16 even where the terms cancel
};

// Empty where no x satisfies the constraints.
std::optional<SimplexLpSolution> maximise(const SimplexLp& lp);

}  // namespace pair::moo

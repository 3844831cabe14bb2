#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pair/moo/double_double.h"

// Exact solution of linear programs on the probability simplex:
//
//     maximise  c . x   subject to   A x >= b,   x >= 0,   sum(x) = 1.
//
// Why not an LP package: EPO's programs have a handful of variables, and the scales of their rows differ by
// up to 1e24, the square of the gradients'. A general package decides feasibility by absolute tolerances
// (about 1e-7), which are meaningless there; takes tens of microseconds for set-up where the arithmetic takes
// one; and adds a dependency or a licence. Here, every decision compares two numbers of the same unit in
// 32-digit arithmetic, so scaling the objective, a row or a variable by a positive constant changes no
// decision.
//
// The method: the best vertex of the simplex, e_q with q = argmax c, satisfies the optimality conditions but
// possibly not A x >= b; from there, the dual simplex method restores one constraint after another (Bland's
// rule). No first phase is needed, and an infeasible program shows as a row that cannot be restored. The
// table estimates its own rounding (dictionary.h). If a decisive sign is not certain, as with dependent
// gradients, the last steps are repeated without rounding, for programs of up to 20 variables; beyond, such a
// number counts as zero.

namespace pair::moo {

struct SimplexLp {
  std::span<const DoubleDouble> objective;  // c, m values; double-double since EPO's is itself a sum
  std::span<const double> rows;             // A, row-major k x m; k = bounds.size()
  std::span<const double> bounds;           // b, k values
};

struct SimplexLpSolution {
  std::vector<DoubleDouble> x;  // a vertex of the feasible set
  DoubleDouble objective;       // c . x, to 1e-16 even if terms cancel

  [[nodiscard]] std::vector<double> weights() const;  // x in doubles
};

// Empty if no x satisfies the constraints. Throws std::invalid_argument if a number is not finite.
std::optional<SimplexLpSolution> maximise(const SimplexLp& lp);

}  // namespace pair::moo

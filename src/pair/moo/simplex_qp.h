#pragma once

#include <optional>
#include <span>
#include <vector>

// Convex quadratic programs on the probability simplex:
//
//     minimise  1/2 x^T Q x + q . x   subject to   A x >= b,   x >= 0,   sum(x) = 1,
//
// solved exactly through their optimality conditions (lcp.h). For Q = C, q = 0 and no rows, prefer min_norm,
// which stays accurate if the scales of the gradients differ by many orders of magnitude.

namespace pair::moo {

struct SimplexQp {
  std::span<const double> quadratic;  // Q, row-major m x m, positive semidefinite
  std::span<const double> linear;     // q, m values
  std::span<const double> rows = {};  // A, row-major k x m; k = bounds.size()
  std::span<const double> bounds = {};
};

// Empty if no x satisfies the constraints. Exact for up to 18 variables and constraints together; beyond, if
// the constraints leave a single point, 32 digits may miss it; use maximise() of simplex_lp.h then.
std::optional<std::vector<double>> minimise(const SimplexQp& qp);

}  // namespace pair::moo

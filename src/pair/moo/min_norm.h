#pragma once

#include <cstddef>
#include <span>
#include <vector>

// The shortest vector in the convex hull of the gradients (Desideri 2012; MGDA):
//
//     minimise  | sum_i x_i g_i |^2 = x^T C x   subject to   x >= 0,  sum(x) = 1.
//
// If it is not zero, it has a positive inner product with every gradient: a step against it lowers all
// objectives. If it is zero, no common descent direction exists: the point is Pareto-stationary.

namespace pair::moo {

struct MinNorm {
  std::vector<double> weights;
  double squared_norm = 0.0;  // x^T C x, never negative
};

// gram is row-major m x m, symmetric positive semidefinite up to rounding. Vanished gradients share the
// weight equally.
MinNorm min_norm(std::span<const double> gram, std::size_t m);

}  // namespace pair::moo

#pragma once

#include <span>
#include <stdexcept>
#include <vector>

#include "pair/moo/double_double.h"

// Linear complementarity problem: z >= 0 with w = M z + q >= 0 and z . w = 0, for positive semidefinite M.
//
// The optimality conditions of every convex quadratic problem in this folder have this form (minimum norm,
// projections onto a cone, an LP with a quadratic term), so one exact method solves them all: Lemke's
// complementary pivoting in 32-digit arithmetic, repeated without rounding if a problem of up to eighteen
// unknowns shows that 32 digits were not enough. It is finite, has no step size and no tolerance, and takes
// microseconds for the sizes used here.

namespace pair::moo {

struct LcpSolution {
  // True: z solves the problem. False: there is no solution, and z >= 0 is a direction with M z >= 0,
  // z . M z = 0 and q . z < 0 that proves it.
  bool solved = false;
  std::vector<DoubleDouble> z;
};

// The matrix is so far from positive semidefinite, by rounding, that the pivots cycle.
class PivotingDoesNotEnd : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// matrix is row-major n x n with n = offset.size(). Throws PivotingDoesNotEnd if the method does not end.
LcpSolution solve_lcp(std::span<const DoubleDouble> matrix, std::span<const DoubleDouble> offset);

}  // namespace pair::moo

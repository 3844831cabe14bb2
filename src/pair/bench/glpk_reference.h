#pragma once

#include <string>
#include <vector>

#include "pair/moo/simplex_lp.h"

// GLPK as the yardstick of our linear programs: 'pair bench solver' measures against it and tests check
// against it. Nothing else may use it, for GLPK is under the GPL and a build need not have it.

namespace pair::bench {

struct GlpkResult {
  enum class Status { optimal, infeasible, failed };
  Status status = Status::failed;
  std::vector<double> x;
  double objective = 0.0;
  double solve_seconds = 0.0;  // of GLPK's method alone, without setting the problem up
};

// False where the build has no GLPK (PAIR_GLPK=OFF, or not installed); the functions below then throw
// std::logic_error.
bool have_glpk();
std::string glpk_version();

// glp_simplex as a user would call it: its defaults, no presolver, no messages. It decides by absolute
// tolerances, so on badly scaled programs it may be wrong, or fail after a thousand pivots.
GlpkResult glpk_simplex(const moo::SimplexLp& lp);

// glp_exact, in rational arithmetic: slow, and right unless it fails by cycling (seen with 12 objectives,
// not with fewer). x and the objective are exact but for one rounding to double each. (glp_exact takes a
// number only to 1e-9 unless it is an integer; so rows are multiplied by powers of two that make integers.)
GlpkResult glpk_exact(const moo::SimplexLp& lp);

}  // namespace pair::bench

#pragma once

#include <string>
#include <vector>

#include "pair/moo/simplex_lp.h"

// GLPK as a reference for our linear programs, for 'pair bench solver' and for tests only: GLPK is under the
// GPL, and optional.

namespace pair::bench {

struct GlpkResult {
  enum class Status { optimal, infeasible, failed };
  Status status = Status::failed;
  std::vector<double> x;
  double objective = 0.0;
  double solve_seconds = 0.0;  // of GLPK's method alone, without set-up
};

// False if the build has no GLPK (PAIR_GLPK=OFF, or not installed). The functions below then throw
// std::logic_error.
bool have_glpk();
std::string glpk_version();

// glp_simplex with its defaults, without presolver and messages. It uses absolute tolerances, so on badly
// scaled programs it may be wrong, or fail after a thousand pivots.
GlpkResult glpk_simplex(const moo::SimplexLp& lp);

// glp_exact, in rational arithmetic: slow, and correct unless it fails by cycling (seen with 12 objectives,
// not with fewer). x and the objective are exact up to one rounding to double each. (glp_exact reads numbers
// that are not integers only to 1e-9, so rows are scaled to integers by powers of two.)
GlpkResult glpk_exact(const moo::SimplexLp& lp);

}  // namespace pair::bench

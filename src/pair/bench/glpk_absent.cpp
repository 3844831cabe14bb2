#include <stdexcept>

#include "pair/bench/glpk_reference.h"

// Replaces glpk_reference.cpp in builds without GLPK.

namespace pair::bench {
namespace {

[[noreturn]] void refuse() {
  throw std::logic_error("this build has no GLPK");
}

}  // namespace

bool have_glpk() {
  return false;
}

std::string glpk_version() {
  refuse();
}

GlpkResult glpk_simplex(const moo::SimplexLp&) {
  refuse();
}

GlpkResult glpk_exact(const moo::SimplexLp&) {
  refuse();
}

}  // namespace pair::bench

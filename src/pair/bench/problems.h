#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pair/moo/problem.h"

// Problems for measuring solvers, harder than those in training. The same seed gives the same problems on
// every machine.

namespace pair::bench {

struct BenchProblem {
  std::vector<double> losses;
  std::vector<double> gram;
  std::vector<double> preference;

  [[nodiscard]] moo::Problem view() const { return {losses, gram, preference}; }
};

// Problems with m objectives. Gradient norms differ by up to 1e12; gradients are aligned, independent or in
// conflict, some linearly dependent. Preferences differ by up to 1e12. Losses are far from the preferred ray,
// near it or on it, so that EPO balances in about two of three problems and descends in the others.
std::vector<BenchProblem> bench_problems(std::size_t m, std::size_t count, std::uint64_t seed);

}  // namespace pair::bench

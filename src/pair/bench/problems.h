#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pair/moo/problem.h"

// Problems to measure solvers on: what training meets, and then some. The same seed gives the same problems
// on every machine.

namespace pair::bench {

struct BenchProblem {
  std::vector<double> losses;
  std::vector<double> gram;
  std::vector<double> preference;

  [[nodiscard]] moo::Problem view() const { return {losses, gram, preference}; }
};

// Problems of m objectives: gradients up to 1e12 apart in norm, aligned, independent or in conflict, some
// linearly dependent; preferences up to 1e12 apart; losses far from the preferred ray, near it and on it,
// so that EPO balances in about two of three and descends in the rest.
std::vector<BenchProblem> bench_problems(std::size_t m, std::size_t count, std::uint64_t seed);

}  // namespace pair::bench

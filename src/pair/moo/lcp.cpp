#include "pair/moo/lcp.h"

#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "pair/moo/dictionary.h"

namespace pair::moo {
namespace {

// Lemke's covering vector may be any positive one. Generic values keep the ratio test free of the ties
// that equal ones would make, and with them of cycling.
double cover(std::size_t i) {
  constexpr double golden_section = 0.6180339887498949;
  const double multiple = static_cast<double>(i + 1) * golden_section;
  return 1.0 + (multiple - std::floor(multiple));
}

}  // namespace

LcpSolution solve_lcp(std::span<const DoubleDouble> matrix, std::span<const DoubleDouble> offset) {
  const std::size_t n = offset.size();
  // Variables 0..n-1 are z, n..2n-1 are w, 2n is the artificial z0, 2n+1 is known to be 1:
  // w = q + M z + cover z0, with q in the first column.
  const std::size_t artificial = 2 * n;
  const auto complement = [n](std::size_t variable) { return variable < n ? variable + n : variable - n; };
  const std::size_t last = n + 1;
  Dictionary dictionary(n, n + 2);
  std::size_t leaving = n;
  DoubleDouble deepest;
  for (std::size_t i = 0; i < n; ++i) {
    dictionary.set_basic(i, n + i);
    dictionary.set_nonbasic(1 + i, i);
    dictionary.at(i, 0) = offset[i];
    for (std::size_t j = 0; j < n; ++j) {
      dictionary.at(i, 1 + j) = matrix[i * n + j];
    }
    dictionary.at(i, last) = cover(i);
    const DoubleDouble depth = offset[i] / cover(i);
    if (depth < deepest) {
      deepest = depth;
      leaving = i;
    }
  }
  dictionary.set_nonbasic(0, 2 * n + 1);
  dictionary.set_nonbasic(last, artificial);

  LcpSolution solution{true, std::vector<DoubleDouble>(n)};
  if (leaving == n) {
    return solution;
  }

  std::size_t entering_column = last;
  const std::size_t most_pivots = 1000 * (n + 1);
  for (std::size_t pivots = 0; pivots < most_pivots; ++pivots) {
    const std::size_t left = dictionary.basic(leaving);
    dictionary.pivot(leaving, entering_column);
    if (left == artificial) {
      for (std::size_t row = 0; row < n; ++row) {
        if (dictionary.basic(row) < n) {
          solution.z[dictionary.basic(row)] = dictionary.at(row, 0);
        }
      }
      return solution;
    }
    const std::size_t entering = complement(left);
    entering_column = dictionary.column_of(entering);

    leaving = n;
    DoubleDouble least;
    for (std::size_t row = 0; row < n; ++row) {
      const DoubleDouble slope = dictionary.at(row, entering_column);
      if (!(slope < 0.0)) {
        continue;
      }
      const DoubleDouble ratio = -dictionary.at(row, 0) / slope;
      if (leaving == n || ratio < least || (ratio == least && dictionary.basic(row) == artificial)) {
        leaving = row;
        least = ratio;
      }
    }
    if (leaving == n) {
      solution.solved = false;
      if (entering < n) {
        solution.z[entering] = 1.0;
      }
      for (std::size_t row = 0; row < n; ++row) {
        if (dictionary.basic(row) < n) {
          solution.z[dictionary.basic(row)] = dictionary.at(row, entering_column);
        }
      }
      return solution;
    }
  }
  throw std::runtime_error("the complementarity problem's pivoting did not end");
}

}  // namespace pair::moo

#include "pair/moo/lcp.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>

#include "pair/moo/dictionary.h"
#include "pair/moo/exact_dictionary.h"

namespace pair::moo {
namespace {

// Lemke's covering vector may be any positive one. Generic values avoid ties in the ratio test, and so
// cycling. They follow the square root of the offsets' sizes: if they were all equal, a small offset would be
// lost next to a large one in the first pivot; if they followed the sizes, its row of the matrix would be.
// The square root loses half of the digits of either.
double cover(std::size_t i, DoubleDouble offset, double largest) {
  constexpr double golden_section = 0.6180339887498949;
  const double multiple = static_cast<double>(i + 1) * golden_section;
  const double size = offset.hi == 0.0 ? largest : std::abs(offset.hi);
  return (1.0 + (multiple - std::floor(multiple))) * std::ldexp(1.0, std::ilogb(size) / 2);
}

// Variables 0..n-1 are z, n..2n-1 are w, 2n is the artificial z0, 2n+1 is known to be 1:
// w = q + M z + cover z0, with q in the first column and z0 in the last.
Dictionary start_of(std::span<const DoubleDouble> matrix, std::span<const DoubleDouble> offset) {
  const std::size_t n = offset.size();
  double largest = 0.0;
  for (const DoubleDouble& value : offset) {
    largest = std::max(largest, std::abs(value.hi));
  }
  Dictionary dictionary(n, n + 2);
  dictionary.set_nonbasic(0, 2 * n + 1);
  dictionary.set_nonbasic(n + 1, 2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    dictionary.set_basic(i, n + i);
    dictionary.set_nonbasic(1 + i, i);
    dictionary.set(i, 0, offset[i]);
    for (std::size_t j = 0; j < n; ++j) {
      dictionary.set(i, 1 + j, matrix[i * n + j]);
    }
    dictionary.set(i, n + 1, cover(i, offset[i], largest));
  }
  return dictionary;
}

// The row of the basic variable that reaches zero first when the column's variable grows; among equals, the
// artificial one, because that ends the method; n if none decreases.
template <class Table>
std::size_t leaving_row(const Table& table, std::size_t entering_column) {
  const std::size_t n = table.rows();
  std::size_t leaving = n;
  for (std::size_t row = 0; row < n; ++row) {
    if (table.sign(row, entering_column) >= 0) {
      continue;
    }
    if (leaving == n) {
      leaving = row;
      continue;
    }
    // Decreasing entries are negative, and so are the ratios: the first to reach zero has the largest.
    const auto order = table.compare_ratios(row, leaving, 0, entering_column);
    if (order > 0 || (order == 0 && table.basic(row) == 2 * n)) {
      leaving = row;
    }
  }
  return leaving;
}

// Empty if the method does not end.
template <class Table>
std::optional<LcpSolution> lemke(Table table) {
  const std::size_t n = table.rows();
  const std::size_t artificial = 2 * n;
  const auto complement = [n](std::size_t variable) { return variable < n ? variable + n : variable - n; };
  LcpSolution solution{true, std::vector<DoubleDouble>(n)};
  const auto read = [&](std::size_t column) {
    for (std::size_t row = 0; row < n; ++row) {
      if (table.basic(row) < n) {
        solution.z[table.basic(row)] = table.at(row, column);
      }
    }
  };

  // The artificial variable enters as far as the most negative offset requires.
  std::size_t entering_column = n + 1;
  std::size_t leaving = n;
  for (std::size_t row = 0; row < n; ++row) {
    if (table.sign(row, 0) < 0 &&
        (leaving == n || table.compare_ratios(row, leaving, 0, entering_column) < 0)) {
      leaving = row;
    }
  }
  if (leaving == n) {
    return solution;
  }
  const std::size_t most_pivots = 50 * (n + 1);
  for (std::size_t pivots = 0; pivots < most_pivots; ++pivots) {
    const std::size_t left = table.basic(leaving);
    table.pivot(leaving, entering_column);
    if (left == artificial) {
      read(0);
      return solution;
    }
    const std::size_t entering = complement(left);
    entering_column = table.column_of(entering);
    leaving = leaving_row(table, entering_column);
    if (leaving == n) {
      solution.solved = false;
      read(entering_column);
      if (entering < n) {
        solution.z[entering] = 1.0;
      }
      return solution;
    }
  }
  return std::nullopt;
}

// Whether z has the properties stated at LcpSolution, up to the rounding of a double.
bool holds(const LcpSolution& solution, std::span<const DoubleDouble> matrix,
           std::span<const DoubleDouble> offset) {
  constexpr double rounding = 0x1p-60;
  const std::size_t n = offset.size();
  DoubleDouble slope;
  double slope_size = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    slope = slope + offset[i] * solution.z[i];
    slope_size += std::abs(offset[i].hi * solution.z[i].hi);
    DoubleDouble w = solution.solved ? offset[i] : DoubleDouble{};
    double size = std::abs(w.hi);
    for (std::size_t j = 0; j < n; ++j) {
      const DoubleDouble product = matrix[i * n + j] * solution.z[j];
      w = w + product;
      size += std::abs(product.hi);
    }
    const double allowed = rounding * size;
    if (solution.z[i].hi < 0.0 || w.hi < -allowed || (solution.z[i].hi > 0.0 && w.hi > allowed)) {
      return false;
    }
  }
  // A certificate that depends on the last digits does not count.
  return solution.solved || slope.hi < -0x1p-40 * slope_size;
}

}  // namespace

LcpSolution solve_lcp(std::span<const DoubleDouble> matrix, std::span<const DoubleDouble> offset) {
  const Dictionary start = start_of(matrix, offset);
  std::optional<LcpSolution> solution = lemke(start);
  if (!solution || (start.small() && !holds(*solution, matrix, offset))) {
    solution = lemke(ExactDictionary(start));
  }
  if (!solution) {
    throw PivotingDoesNotEnd("the complementarity problem's pivoting did not end");
  }
  return *std::move(solution);
}

}  // namespace pair::moo

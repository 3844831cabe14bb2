#include "pair/moo/simplex_qp.h"

#include <cassert>
#include <cstddef>

#include "pair/moo/double_double.h"
#include "pair/moo/lcp.h"

namespace pair::moo {

std::optional<std::vector<double>> minimise(const SimplexQp& qp) {
  const std::size_t m = qp.linear.size();
  const std::size_t k = qp.bounds.size();
  assert(m > 0 && qp.quadratic.size() == m * m && qp.rows.size() == k * m);

  // The last variable is 1 minus the others, y; that it is not negative becomes one more row. With
  // multipliers u of the rows, the optimality conditions are complementary in (y, u):
  //     [ Q'  -A'^T ] [y]   [ q' ]
  //     [ A'    0   ] [u] + [-b' ]  >= 0.
  const std::size_t free = m - 1;
  const std::size_t n = free + k + 1;
  const auto q_at = [&qp, m](std::size_t i, std::size_t j) { return DoubleDouble(qp.quadratic[i * m + j]); };
  std::vector<DoubleDouble> matrix(n * n);
  std::vector<DoubleDouble> offset(n);
  for (std::size_t i = 0; i < free; ++i) {
    for (std::size_t j = 0; j < free; ++j) {
      matrix[i * n + j] = q_at(i, j) - q_at(i, free) - q_at(free, j) + q_at(free, free);
    }
    offset[i] = DoubleDouble(qp.linear[i]) - qp.linear[free] + q_at(i, free) - q_at(free, free);
  }
  const auto set_row = [&](std::size_t row, std::size_t column, DoubleDouble coefficient) {
    matrix[(free + row) * n + column] = coefficient;
    matrix[column * n + free + row] = -coefficient;
  };
  for (std::size_t row = 0; row < k; ++row) {
    const double last = qp.rows[row * m + free];
    for (std::size_t j = 0; j < free; ++j) {
      set_row(row, j, DoubleDouble(qp.rows[row * m + j]) - last);
    }
    offset[free + row] = DoubleDouble(last) - qp.bounds[row];
  }
  for (std::size_t j = 0; j < free; ++j) {
    set_row(k, j, -1.0);
  }
  offset[free + k] = 1.0;

  const LcpSolution solution = solve_lcp(matrix, offset);
  if (!solution.solved) {
    return std::nullopt;
  }
  std::vector<double> x(m);
  DoubleDouble rest = 1.0;
  for (std::size_t j = 0; j < free; ++j) {
    x[j] = solution.z[j].value();
    rest = rest - solution.z[j];
  }
  x[free] = rest.hi > 0.0 ? rest.value() : 0.0;
  return x;
}

}  // namespace pair::moo

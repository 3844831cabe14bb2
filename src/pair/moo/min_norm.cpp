#include "pair/moo/min_norm.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "pair/moo/double_double.h"
#include "pair/moo/lcp.h"

namespace pair::moo {
namespace {

std::vector<double> vanishing_gradients(std::span<const double> gram, std::size_t m) {
  std::vector<double> weights(m, 0.0);
  double count = 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    if (gram[i * m + i] == 0.0) {
      weights[i] = 1.0;
      count += 1.0;
    }
  }
  for (double& weight : weights) {
    weight /= count;
  }
  return weights;
}

}  // namespace

MinNorm min_norm(std::span<const double> gram, std::size_t m) {
  assert(m > 0 && gram.size() == m * m);
  MinNorm result;
  for (std::size_t i = 0; i < m; ++i) {
    if (gram[i * m + i] == 0.0) {
      result.weights = vanishing_gradients(gram, m);
      return result;
    }
  }

  // The optimum x satisfies C x >= lambda 1 with equality where x_i > 0, lambda = x^T C x. For lambda > 0, y
  // = x / lambda solves the complementarity problem C y - 1 >= 0; for lambda = 0 that has no solution, and
  // its certificate is x. Gradients are scaled to a norm near 1 by powers of two, exactly, and independently
  // of a common power of two: hence the floor.
  std::vector<double> scale(m);
  for (std::size_t i = 0; i < m; ++i) {
    const double exponent = std::floor(std::ilogb(gram[i * m + i]) / 2.0);
    scale[i] = std::ldexp(1.0, -static_cast<int>(exponent));
  }
  const double smallest = *std::min_element(scale.begin(), scale.end());
  std::vector<DoubleDouble> matrix(m * m);
  std::vector<DoubleDouble> offset(m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      matrix[i * m + j] = gram[i * m + j] * scale[i] * scale[j];
    }
    offset[i] = -(scale[i] / smallest);
  }
  const LcpSolution solution = solve_lcp(matrix, offset);

  std::vector<DoubleDouble> x(m);
  DoubleDouble sum;
  for (std::size_t i = 0; i < m; ++i) {
    x[i] = solution.z[i] * (scale[i] / smallest);
    sum = sum + x[i];
  }
  DoubleDouble squared_norm;
  result.weights.resize(m);
  for (std::size_t i = 0; i < m; ++i) {
    x[i] = x[i] / sum;
    result.weights[i] = x[i].value();
  }
  for (std::size_t i = 0; i < m; ++i) {
    DoubleDouble product;
    for (std::size_t j = 0; j < m; ++j) {
      product = product + x[j] * gram[i * m + j];
    }
    squared_norm = squared_norm + x[i] * product;
  }
  result.squared_norm = std::max(0.0, squared_norm.value());
  return result;
}

}  // namespace pair::moo

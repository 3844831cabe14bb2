#include "pair/moo/simplex_qp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "pair/moo/min_norm.h"
#include "pair/moo/simplex_lp.h"
#include "tests/moo/problems.h"

namespace pair::moo::simplex_qp_test {
namespace {

using testing::Case;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using testing::ProblemSource;

std::vector<double> identity(std::size_t m) {
  std::vector<double> result(m * m, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    result[i * m + i] = 1.0;
  }
  return result;
}

// The nearest point of the simplex, by sorting (Held, Wolfe and Crowder 1974).
std::vector<double> projected(const std::vector<double>& point) {
  std::vector<double> sorted = point;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0.0;
  double shift = 0.0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const double candidate = (sum - 1.0) / static_cast<double>(k + 1);
    if (sorted[k] > candidate) {
      shift = candidate;
    }
  }
  std::vector<double> result = point;
  for (double& value : result) {
    value = std::max(0.0, value - shift);
  }
  return result;
}

TEST(SimplexQp, ProjectsOntoTheSimplex) {
  ProblemSource source(51);
  for (int k = 0; k < 200; ++k) {
    const std::size_t m = 2 + static_cast<std::size_t>(k % 7);
    std::vector<double> point(m);
    std::generate(point.begin(), point.end(), [&] { return source.normal(); });
    std::vector<double> linear = point;
    std::transform(linear.begin(), linear.end(), linear.begin(), std::negate<>());
    const auto x = minimise({identity(m), linear});
    ASSERT_TRUE(x);
    const std::vector<double> expected = projected(point);
    for (std::size_t i = 0; i < m; ++i) {
      EXPECT_NEAR((*x)[i], expected[i], 1e-14);
    }
  }
}

TEST(SimplexQp, FindsTheMinimumNormOfGradients) {
  ProblemSource source(52, {1, 1, 1, 0});
  for (int k = 0; k < 200; ++k) {
    const std::size_t m = 2 + static_cast<std::size_t>(k % 6);
    const Case problem = source.draw(m);
    const auto x = minimise({problem.gram, std::vector<double>(m, 0.0)});
    ASSERT_TRUE(x);
    const MinNorm shortest = min_norm(problem.gram, m);
    for (std::size_t i = 0; i < m; ++i) {
      EXPECT_NEAR((*x)[i], shortest.weights[i], 1e-12);
    }
  }
}

TEST(SimplexQp, StopsAtAConstraint) {
  // The nearest point to the first corner with x_1 <= 1/4.
  const std::vector<double> linear = {-1.0, 0.0, 0.0};
  const std::vector<double> row = {-1.0, 0.0, 0.0};
  const std::vector<double> bound = {-0.25};
  const auto x = minimise({identity(3), linear, row, bound});
  ASSERT_TRUE(x);
  EXPECT_THAT(*x, ElementsAre(DoubleEq(0.25), DoubleEq(0.375), DoubleEq(0.375)));
}

TEST(SimplexQp, IsEmptyExactlyWhereTheLinearProgramIs) {
  // Integer rows, so that many feasible sets are faces, single points, or just missed.
  ProblemSource source(53);
  const auto small = [&] { return std::floor(5 * source.uniform()) - 2; };
  int feasible = 0;
  for (int k = 0; k < 400; ++k) {
    SCOPED_TRACE(k);
    const std::size_t m = 2 + static_cast<std::size_t>(k % 4);
    const std::size_t rows = 1 + static_cast<std::size_t>(k % 5);
    std::vector<double> coefficients(rows * m);
    std::vector<double> bounds(rows);
    std::vector<double> linear(m);
    std::generate(coefficients.begin(), coefficients.end(), small);
    std::generate(bounds.begin(), bounds.end(), small);
    std::generate(linear.begin(), linear.end(), small);
    const std::vector<DoubleDouble> objective(linear.begin(), linear.end());
    const auto x = minimise({identity(m), linear, coefficients, bounds});
    ASSERT_EQ(x.has_value(), maximise({objective, coefficients, bounds}).has_value());
    if (!x) {
      continue;
    }
    ++feasible;
    EXPECT_NEAR(std::accumulate(x->begin(), x->end(), 0.0), 1.0, 1e-14);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto row = coefficients.begin() + static_cast<std::ptrdiff_t>(i * m);
      const double value = std::inner_product(x->begin(), x->end(), row, 0.0);
      EXPECT_GE(value, bounds[i] - 1e-14);
    }
  }
  EXPECT_GT(feasible, 50);
  EXPECT_LT(feasible, 350);
}

}  // namespace
}  // namespace pair::moo::simplex_qp_test

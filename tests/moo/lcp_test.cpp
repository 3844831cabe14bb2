#include "pair/moo/lcp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/moo/problems.h"

namespace pair::moo::lcp_test {
namespace {

using testing::ProblemSource;

struct Instance {
  std::vector<DoubleDouble> matrix;
  std::vector<DoubleDouble> offset;
};

Instance problem_of(const std::vector<double>& matrix, const std::vector<double>& offset) {
  return {{matrix.begin(), matrix.end()}, {offset.begin(), offset.end()}};
}

// w = M z + q for a solution, w = M z for the proof that there is none.
void expect_holds(const Instance& problem, const LcpSolution& solution, double tolerance) {
  const std::size_t n = problem.offset.size();
  DoubleDouble slope;
  for (std::size_t i = 0; i < n; ++i) {
    DoubleDouble w = solution.solved ? problem.offset[i] : DoubleDouble{};
    double size = std::abs(w.hi);
    for (std::size_t j = 0; j < n; ++j) {
      w = w + problem.matrix[i * n + j] * solution.z[j];
      size += std::abs(problem.matrix[i * n + j].hi * solution.z[j].hi);
    }
    EXPECT_GE(solution.z[i].hi, 0.0);
    EXPECT_GE(w.hi, -tolerance * size);
    if (solution.z[i].hi > 0.0) {
      EXPECT_LE(w.hi, tolerance * size);
    }
    slope = slope + problem.offset[i] * solution.z[i];
  }
  if (!solution.solved) {
    EXPECT_LT(slope.hi, 0.0);
  }
}

TEST(Lcp, IsSolvedByZeroWhereTheOffsetIsNotNegative) {
  const Instance problem = problem_of({2, 1, 1, 2}, {0, 3});
  const LcpSolution solution = solve_lcp(problem.matrix, problem.offset);
  EXPECT_TRUE(solution.solved);
  EXPECT_EQ(solution.z[0].value(), 0.0);
  EXPECT_EQ(solution.z[1].value(), 0.0);
}

TEST(Lcp, SolvesLinearEquationsWhereAllUnknownsArePositive) {
  // 2 z_1 + z_2 = 5, z_1 + 2 z_2 = 6.
  const Instance problem = problem_of({2, 1, 1, 2}, {-5, -6});
  const LcpSolution solution = solve_lcp(problem.matrix, problem.offset);
  EXPECT_TRUE(solution.solved);
  EXPECT_DOUBLE_EQ(solution.z[0].value(), 4.0 / 3);
  EXPECT_DOUBLE_EQ(solution.z[1].value(), 7.0 / 3);
}

TEST(Lcp, IsExactForPositiveDefiniteMatrices) {
  ProblemSource source(31, {1, 1, 1, 0});
  for (int k = 0; k < 500; ++k) {
    const std::size_t n = 2 + static_cast<std::size_t>(k % 9);
    std::vector<double> offset(n);
    for (double& value : offset) {
      value = source.normal();
    }
    const Instance problem = problem_of(source.draw(n).gram, offset);
    const LcpSolution solution = solve_lcp(problem.matrix, problem.offset);
    EXPECT_TRUE(solution.solved);
    expect_holds(problem, solution, 1e-18);
  }
}

TEST(Lcp, IsSolvedOrProvedInsolubleForIntegersFullOfTies) {
  ProblemSource source(32);
  const auto small = [&] { return std::floor(5 * source.uniform()) - 2; };
  int soluble = 0;
  for (int k = 0; k < 500; ++k) {
    SCOPED_TRACE(k);
    const std::size_t n = 2 + static_cast<std::size_t>(k % 6);
    std::vector<double> factors(n * (1 + static_cast<std::size_t>(k % 3)));
    std::vector<double> offset(n);
    std::generate(factors.begin(), factors.end(), small);
    std::generate(offset.begin(), offset.end(), small);
    const Instance problem = problem_of(gram_of(factors, n), offset);
    const LcpSolution solution = solve_lcp(problem.matrix, problem.offset);
    expect_holds(problem, solution, 1e-18);
    soluble += solution.solved ? 1 : 0;
  }
  EXPECT_GT(soluble, 50);
  EXPECT_LT(soluble, 450);
}

TEST(Lcp, ProvesThatThereIsNoSolution) {
  // w_1 = z_1 - z_2 - 1, w_2 = -z_1 + z_2 - 1: never both positive.
  const Instance problem = problem_of({1, -1, -1, 1}, {-1, -1});
  const LcpSolution solution = solve_lcp(problem.matrix, problem.offset);
  EXPECT_FALSE(solution.solved);
  EXPECT_EQ(solution.z[0].value(), solution.z[1].value());
  expect_holds(problem, solution, 0.0);
}

TEST(Lcp, KeepsSmallOffsetsBesideLargeOnes) {
  const Instance problem = problem_of({1, 0, 0, 0, 1, 0, 0, 0, 1}, {-1e40, -1.0, -1e-40});
  const LcpSolution solution = solve_lcp(problem.matrix, problem.offset);
  EXPECT_TRUE(solution.solved);
  EXPECT_DOUBLE_EQ(solution.z[0].value(), 1e40);
  EXPECT_DOUBLE_EQ(solution.z[1].value(), 1.0);
  EXPECT_DOUBLE_EQ(solution.z[2].value(), 1e-40);
}

}  // namespace
}  // namespace pair::moo::lcp_test

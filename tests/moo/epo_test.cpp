#include "pair/moo/epo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "pair/moo/min_norm.h"
#include "pair/moo/preference.h"
#include "pair/moo/registry.h"
#include "pair/moo/weights.h"
#include "tests/moo/problems.h"

namespace pair::moo::epo_test {
namespace {

using testing::Case;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using testing::ProblemSource;
using ::testing::SizeIs;

std::vector<double> row_of(const EpoProgram& program, std::size_t row, std::size_t m) {
  const auto first = program.rows.begin() + static_cast<std::ptrdiff_t>(row * m);
  return {first, first + static_cast<std::ptrdiff_t>(m)};
}

TEST(EpoProgram, OfBalanceBoundsTheConflictingByTheAdjustmentAndTheWorstByZero) {
  // Orthogonal unit gradients: C a = a. The first objective is the worst, the last lies below its share, so
  // that its a is negative; the second lies above its share.
  const Case problem{{5.0, 2.0, 0.5}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1.0, 1.0, 1.0}, {}};
  const Stance stance = stance_of(problem.view());
  ASSERT_GT(stance.adjustment[0], 0.0);
  ASSERT_LT(stance.adjustment[1], 0.0);
  ASSERT_LT(stance.adjustment[2], 0.0);
  const EpoProgram program = epo_program(problem.view(), 1e-4);
  EXPECT_EQ(program.phase, Phase::balance);
  ASSERT_THAT(program.bounds, SizeIs(3));
  EXPECT_THAT(program.bounds, ElementsAre(0.0, stance.adjustment[1], stance.adjustment[2]));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(program.objective[i].value(), stance.adjustment[i]);
  }
  EXPECT_THAT(row_of(program, 2, 3), ElementsAre(0, 0, 1));
}

TEST(EpoProgram, OfBalanceLeavesObjectivesFreeThatTheAdjustmentHelps) {
  // The third gradient is half of the first, nearly: moving against g_b helps it, though its own loss is
  // small.
  const Case problem{{5.0, 2.0, 1.9}, {4, 0, 1.8, 0, 1, 0, 1.8, 0, 1}, {1.0, 1.0, 1.0}, {}};
  const EpoProgram program = epo_program(problem.view(), 1e-4);
  ASSERT_GT(program.objective[2].value(), 0.0);
  EXPECT_THAT(program.bounds, SizeIs(2));
  EXPECT_THAT(row_of(program, 0, 3), ElementsAre(4, 0, 1.8));
  EXPECT_THAT(row_of(program, 1, 3), ElementsAre(0, 1, 0));
}

TEST(EpoProgram, OfDescentLowersTheSumAndHurtsNone) {
  const Case problem{{1.0, 1.0}, {4, -1, -1, 1}, {1.0, 1.0}, {}};
  const EpoProgram program = epo_program(problem.view(), 1e-4);
  EXPECT_EQ(program.phase, Phase::descent);
  EXPECT_EQ(program.objective[0].value(), 3.0);
  EXPECT_EQ(program.objective[1].value(), 0.0);
  EXPECT_THAT(program.bounds, ElementsAre(0.0, 0.0, 0.0));
  EXPECT_THAT(row_of(program, 0, 2), ElementsAre(4, -1));
  EXPECT_THAT(row_of(program, 1, 2), ElementsAre(-1, 1));
  EXPECT_THAT(row_of(program, 2, 2), ElementsAre(0.0, 0.0));  // on the ray the adjustment vanishes
}

TEST(Epo, BalancesTwoOrthogonalObjectivesByTheWorseAlone) {
  const Case problem{{3.0, 1.0}, {1, 0, 0, 1}, {1.0, 1.0}, {}};
  const Solution solution = Epo().weigh(problem.view());
  EXPECT_EQ(solution.phase, Phase::balance);
  EXPECT_EQ(solution.status, Status::optimal);
  EXPECT_THAT(solution.weights, ElementsAre(1.0, 0.0));
}

TEST(Epo, GivesTheMinimumNormAndNotThePreferenceWhereTheProgramHasNoSolution) {
  // Three gradients of the plane that surround the origin, all losses equally far: no weights on the simplex
  // make C beta >= 0 hold in floating point unless beta is the one that cancels them.
  ProblemSource source(81, {3, 3, 6, 0.0});
  int infeasible = 0;
  for (int k = 0; k < 3000 && infeasible < 20; ++k) {
    Case problem = source.draw(3);
    std::vector<double> gradients(std::size_t{3} * 2);
    for (double& value : gradients) {
      value = source.normal();
    }
    problem.gram = gram_of(gradients, 3);
    const Solution solution = Epo(k % 2 == 0 ? 1e300 : 1e-4).weigh(problem.view());
    if (solution.status == Status::optimal) {
      continue;
    }
    ++infeasible;
    EXPECT_EQ(solution.weights, min_norm(problem.gram, 3).weights);
    EXPECT_NE(solution.weights, make_solver("linear")->weigh(problem.view()).weights);
  }
  EXPECT_GT(infeasible, 3);
}

TEST(Epo, NeverWorsensTheMostViolatedObjectiveWhileItBalances) {
  ProblemSource source(82, {6, 12, 16, 0.0});
  int optimal = 0;
  for (int k = 0; k < 300; ++k) {
    const std::size_t m = 2 + static_cast<std::size_t>(k % 6);
    const Case problem = source.draw(m);
    const Solution solution = Epo(0.0).weigh(problem.view());
    if (solution.status != Status::optimal) {
      continue;
    }
    ++optimal;
    const Stance stance = stance_of(problem.view());
    const std::vector<double> improvement = improvements(problem.view(), solution.weights);
    for (std::size_t i = 0; i < m; ++i) {
      double size = 0.0;
      for (std::size_t j = 0; j < m; ++j) {
        size += std::abs(problem.gram[i * m + j]) * solution.weights[j];
      }
      if (stance.most_violated(i)) {
        EXPECT_GE(improvement[i], -1e-15 * size);
      }
    }
  }
  EXPECT_GT(optimal, 150);
}

TEST(Epo, LowersEveryObjectiveWhileItDescends) {
  ProblemSource source(83, {3, 12, 3, 1.0});
  int optimal = 0;
  for (int k = 0; k < 300; ++k) {
    const std::size_t m = 2 + static_cast<std::size_t>(k % 6);
    const Case problem = source.draw(m);
    const Solution solution = Epo(1e300).weigh(problem.view());
    EXPECT_EQ(solution.phase, Phase::descent);
    if (solution.status != Status::optimal) {
      continue;
    }
    ++optimal;
    const std::vector<double> improvement = improvements(problem.view(), solution.weights);
    for (std::size_t i = 0; i < m; ++i) {
      double size = 0.0;
      for (std::size_t j = 0; j < m; ++j) {
        size += std::abs(problem.gram[i * m + j]) * solution.weights[j];
      }
      EXPECT_GE(improvement[i], -1e-15 * size);
    }
  }
  EXPECT_GT(optimal, 150);
}

TEST(Epo, TakesTheDivergenceItselfAsDescent) {
  const Case problem{{1.0, 1.2}, {1, 0, 0, 1}, {1.0, 1.0}, {}};
  const double divergence = Epo().weigh(problem.view()).divergence;
  EXPECT_EQ(Epo(divergence).weigh(problem.view()).phase, Phase::descent);
  EXPECT_EQ(Epo(std::nextafter(divergence, 0.0)).weigh(problem.view()).phase, Phase::balance);
}

TEST(Epo, RefusesAnEpsilonThatIsNoThreshold) {
  EXPECT_THROW(Epo{-1e-9}, std::invalid_argument);
  EXPECT_THROW(Epo{std::nan("")}, std::invalid_argument);
  EXPECT_THROW(Epo{HUGE_VAL}, std::invalid_argument);
}

}  // namespace
}  // namespace pair::moo::epo_test

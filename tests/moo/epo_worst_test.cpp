#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pair/moo/epo.h"
#include "pair/moo/preference.h"
#include "pair/moo/registry.h"
#include "pair/moo/test_problems.h"
#include "pair/moo/weights.h"
#include "tests/moo/problems.h"

namespace pair::moo::epo_worst_test {
namespace {

using testing::Case;
using ::testing::ElementsAre;
using testing::ProblemSource;

// Halfway between the ERM optimum and f_IRM on two-bit environments, rounded: ERM and V-REx are opposed,
// IRMv1 agrees with V-REx and is far below its share.
Case stalled() {
  const std::vector<double> gradients{-2e-2, 0, 4e-4, 7e-4, 6e-3, 0};
  return {{0.28, 6e-5, 3.4e-3}, gram_of(gradients, 3), {1, 1e10, 1e12}, {}};
}

TEST(EpoWorst, LowersTheMostViolatedObjectiveWhereEpoStalls) {
  const Case problem = stalled();
  const Solution plain = Epo().weigh(problem.view());
  EXPECT_NEAR(improvements(problem.view(), plain.weights)[2] / problem.gram[8], 0.0, 1e-9);
  const Solution solution = make_solver("epo_worst")->weigh(problem.view());
  EXPECT_THAT(solution.weights, ElementsAre(0, 0, 1));
  EXPECT_EQ(solution.status, Status::optimal);
  EXPECT_EQ(solution.phase, Phase::balance);
  EXPECT_EQ(solution.divergence, plain.divergence);
}

TEST(EpoWorst, IsEpoWhereTheMostViolatedGradientVanishes) {
  Case problem = stalled();
  constexpr std::size_t m = 3;
  for (std::size_t i = 0; i < m; ++i) {
    problem.gram[2 * m + i] = problem.gram[i * m + 2] = 0.0;
  }
  EXPECT_EQ(make_solver("epo_worst")->weigh(problem.view()).weights, Epo().weigh(problem.view()).weights);
}

TEST(EpoWorst, LowersEveryOneOfTiedObjectives) {
  // Both are violated alike, and the third, too low, pulls g_b against them.
  const std::vector<double> gradients{1, 0, 0, 1, 9, 9};
  const Case problem{{1, 1, 1e-9}, gram_of(gradients, 3), {1, 1, 1}, {}};
  EXPECT_THAT(make_solver("epo_worst")->weigh(problem.view()).weights,
              ElementsAre(::testing::DoubleNear(0.5, 1e-12), ::testing::DoubleNear(0.5, 1e-12), 0));
}

TEST(EpoWorst, IsEpoOrLowersTheWorstAndDoesBothOften) {
  ProblemSource source(61, {6, 6, 6, 0.3});
  int same = 0;
  int worst_first = 0;
  for (int k = 0; k < 400; ++k) {
    const Case problem = source.draw(2 + static_cast<std::size_t>(k % 4));
    const Solution solution = make_solver("epo_worst")->weigh(problem.view());
    const Solution plain = Epo().weigh(problem.view());
    EXPECT_EQ(solution.phase, plain.phase);
    if (solution.weights == plain.weights) {
      ++same;
      continue;
    }
    ++worst_first;
    EXPECT_EQ(solution.phase, Phase::balance);
    const Stance stance = stance_of(problem.view());
    const std::vector<double> lowered = improvements(problem.view(), solution.weights);
    for (std::size_t j = 0; j < problem.size(); ++j) {
      if (stance.most_violated(j)) {
        EXPECT_GT(lowered[j], 0.0);
      } else {
        EXPECT_EQ(solution.weights[j], 0.0);
      }
    }
  }
  EXPECT_GT(same, 100);
  EXPECT_GT(worst_first, 20);
}

TEST(EpoWorst, ReachesThePreferredPointOfAConcaveFront) {
  const FonsecaFleming problem(20);
  for (const double first : {0.5, 1.0, 3.0}) {
    const std::vector<double> preference{first, 1.0};
    const auto x = descend(problem, *make_solver("epo_worst"), preference, std::vector<double>(20, 0.1));
    const std::vector<double> losses = problem.losses(x);
    const auto expected = problem.front(problem.preferred(preference));
    EXPECT_NEAR(losses[0], expected[0], 0.02);
    EXPECT_NEAR(losses[1], expected[1], 0.02);
  }
}

TEST(EpoWorst, RefusesANegativeEpsilon) {
  EXPECT_THROW((void)options_of("epo_worst", {{"epsilon", "-1"}}), std::invalid_argument);
}

}  // namespace
}  // namespace pair::moo::epo_worst_test

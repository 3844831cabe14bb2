#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/moo/min_norm.h"
#include "pair/moo/registry.h"
#include "pair/moo/weights.h"
#include "tests/moo/problems.h"

// Properties of each of the smaller methods, beyond those that all solvers share.

namespace pair::moo::methods_test {
namespace {

using testing::Case;
using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ProblemSource;
using ::testing::ThrowsMessage;

std::unique_ptr<Solver> cagrad_with(double radius) {
  return make_solver("cagrad", options_of("cagrad", {{"radius", base::shown(radius)}}));
}

std::unique_ptr<Solver> pmtl_with(const char* vectors) {
  return make_solver("pmtl", options_of("pmtl", {{"pmtl_vectors", vectors}}));
}

TEST(Linear, NormalisesPreferencesOfAnySize) {
  const Case problem{{2.0, 3.0}, {1, 0, 0, 1}, {1e308, 1e308}, {}};
  const Solution solution = make_solver("linear")->weigh(problem.view());
  EXPECT_THAT(solution.weights, ElementsAre(0.5, 0.5));
  EXPECT_DOUBLE_EQ(solution.objective, 2.5);
}

TEST(Mgda, IsTheMinimumNormWithItsSquare) {
  ProblemSource source(101, {1, 12, 1, 0});
  for (int k = 0; k < 50; ++k) {
    const Case problem = source.draw(5);
    const Solution solution = make_solver("mgda")->weigh(problem.view());
    const MinNorm shortest = min_norm(problem.gram, 5);
    EXPECT_EQ(solution.weights, shortest.weights);
    EXPECT_EQ(solution.objective, shortest.squared_norm);
  }
}

TEST(Chebyshev, PutsAllWeightOnTheMostViolatedAndSharesItAmongTies) {
  Case problem{{1.0, 2.0, 3.0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1.0, 4.0, 1.0}, {}};
  EXPECT_THAT(make_solver("chebyshev")->weigh(problem.view()).weights, ElementsAre(0.0, 1.0, 0.0));
  EXPECT_DOUBLE_EQ(make_solver("chebyshev")->weigh(problem.view()).objective, 8.0 / 12);
  problem.preference = {0.3, 0.15, 0.1};  // 0.3, 0.3, and 0.30000000000000004
  EXPECT_THAT(make_solver("chebyshev")->weigh(problem.view()).weights, Each(DoubleEq(1.0 / 3)));
}

// CAGrad's dual at one weight vector.
double dual(const Case& problem, double radius, const std::vector<double>& w) {
  const std::vector<double> mean(w.size(), 1.0 / static_cast<double>(w.size()));
  const std::vector<double> along = improvements(problem.view(), mean);
  return std::inner_product(w.begin(), w.end(), along.begin(), 0.0) +
         radius * std::sqrt(squared_norm(problem.view(), mean) * squared_norm(problem.view(), w));
}

TEST(CaGrad, FindsTheOptimumOfItsDual) {
  ProblemSource source(102, {1, 2, 1, 0});
  for (int k = 0; k < 60; ++k) {
    const Case problem = source.draw(2);
    const double radius = std::array{0.1, 0.5, 0.9}[static_cast<std::size_t>(k % 3)];
    double best = HUGE_VAL;
    double at = 0.0;
    for (int step = 0; step <= 2000; ++step) {
      const double share = step / 2000.0;
      const double value = dual(problem, radius, {share, 1.0 - share});
      at = value < best ? share : at;
      best = std::min(best, value);
    }
    const Solution solution = cagrad_with(radius)->weigh(problem.view());
    EXPECT_LE(solution.objective, best + 1e-12 * std::abs(best));
    // The weights are those of the direction g_0 + radius |g_0| / |g_w| g_w.
    const std::vector<double> mean = {0.5, 0.5};
    const double stretch = radius * std::sqrt(squared_norm(problem.view(), mean) /
                                              squared_norm(problem.view(), std::vector{at, 1.0 - at}));
    const double expected = (0.5 + stretch * at) / (1.0 + stretch);
    EXPECT_NEAR(solution.weights[0], expected, 2e-3);
  }
}

TEST(CaGrad, ImprovesTheWorstMoreTheLargerItsRadius) {
  ProblemSource source(103, {1, 1, 1, 0});
  for (int k = 0; k < 30; ++k) {
    const Case problem = source.draw(4);
    double before = -HUGE_VAL;
    for (const double radius : {0.0, 0.3, 0.6, 0.9}) {
      const double optimum = cagrad_with(radius)->weigh(problem.view()).objective;
      EXPECT_GE(optimum, before - 1e-12 * std::abs(before));
      before = optimum;
    }
  }
}

TEST(Nash, DoesNotHearTheUnitsOfTheObjectives) {
  ProblemSource source(104, {1, 1, 1, 0});
  int feasible = 0;
  for (int k = 0; k < 50; ++k) {
    const Case problem = source.draw(3);
    const std::array<double, 3> unit = {1.0, 1e-5, 300.0};
    Case scaled = problem;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        scaled.gram[i * 3 + j] *= unit[i] * unit[j];
      }
    }
    const Solution one = make_solver("nash")->weigh(problem.view());
    const Solution other = make_solver("nash")->weigh(scaled.view());
    ASSERT_EQ(one.status, other.status);
    if (one.status == Status::infeasible) {
      continue;
    }
    ++feasible;
    // The same direction, hence w_i unit_i in proportion.
    const double factor = other.weights[0] * unit[0] / one.weights[0];
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(other.weights[i] * unit[i] / one.weights[i] / factor, 1.0, 1e-9);
    }
  }
  EXPECT_GT(feasible, 40);
}

TEST(Nash, HasNoBargainWhereGradientsBalanceOut) {
  const Case opposite{{1, 1}, {1, -2, -2, 4}, {1, 1}, {}};
  const Solution solution = make_solver("nash")->weigh(opposite.view());
  EXPECT_EQ(solution.status, Status::infeasible);
  EXPECT_THAT(solution.weights, ElementsAre(DoubleEq(2.0 / 3), DoubleEq(1.0 / 3)));
  const Case vanished{{1, 1}, {1, 0, 0, 0}, {1, 1}, {}};
  EXPECT_EQ(make_solver("nash")->weigh(vanished.view()).status, Status::infeasible);
}

TEST(PcGrad, OfTwoRemovesTheConflictingParts) {
  ProblemSource source(105, {1, 1, 1, 0});
  for (int k = 0; k < 100; ++k) {
    const Case problem = source.draw(2);
    const double aa = problem.gram[0];
    const double ab = problem.gram[1];
    const double bb = problem.gram[3];
    // g_1 - (ab / bb) g_2 + g_2 - (ab / aa) g_1 where they conflict, their sum otherwise.
    const double first = 1.0 - std::min(0.0, ab) / aa;
    const double second = 1.0 - std::min(0.0, ab) / bb;
    EXPECT_NEAR(make_solver("pcgrad")->weigh(problem.view()).weights[0], first / (first + second), 1e-14);
  }
}

TEST(UpGrad, OfTwoProjectsEachOntoTheOthersHalfSpace) {
  // For two gradients the projections onto the cone are those of gradient surgery.
  ProblemSource source(106, {1, 3, 1, 0});
  for (int k = 0; k < 100; ++k) {
    const Case problem = source.draw(2);
    const std::vector<double> up = make_solver("upgrad")->weigh(problem.view()).weights;
    const std::vector<double> surgery = make_solver("pcgrad")->weigh(problem.view()).weights;
    EXPECT_NEAR(up[0], surgery[0], 1e-13);
  }
}

TEST(UpGrad, NeverConflictsWithAnyGradient) {
  ProblemSource source(107, {1, 6, 1, 0});
  for (int k = 0; k < 100; ++k) {
    const std::size_t m = 2 + static_cast<std::size_t>(k % 7);
    const Case problem = source.draw(m);
    const std::vector<double> w = make_solver("upgrad")->weigh(problem.view()).weights;
    const std::vector<double> improvement = improvements(problem.view(), w);
    for (std::size_t i = 0; i < m; ++i) {
      double size = 0.0;
      for (std::size_t j = 0; j < m; ++j) {
        size += std::abs(problem.gram[i * m + j]) * w[j];
      }
      EXPECT_GE(improvement[i], -1e-14 * size);
    }
  }
}

TEST(UpGrad, IsTheMeanWhereNothingConflicts) {
  const Case problem{{1, 2, 3}, {1, 0.5, 0.1, 0.5, 1, 0.2, 0.1, 0.2, 1}, {1, 1, 1}, {}};
  EXPECT_THAT(make_solver("upgrad")->weigh(problem.view()).weights, Each(DoubleNear(1.0 / 3, 1e-15)));
  EXPECT_THAT(make_solver("pcgrad")->weigh(problem.view()).weights, Each(DoubleNear(1.0 / 3, 1e-15)));
}

TEST(Pmtl, IsTheMinimumNormInsideItsSector) {
  // On the preferred ray no other vector is nearer, so that no constraint is active.
  ProblemSource source(108, {1, 2, 1, 0});
  for (int k = 0; k < 50; ++k) {
    Case problem = source.draw(3);
    for (std::size_t i = 0; i < 3; ++i) {
      problem.losses[i] = 1.0 / problem.preference[i];
    }
    EXPECT_EQ(make_solver("pmtl")->weigh(problem.view()).weights,
              make_solver("mgda")->weigh(problem.view()).weights);
  }
}

TEST(Pmtl, TurnsBackFromAnotherVectorsSector) {
  // Preferred: equal losses. The losses are nearer to the other vector, the ray of L_1 = 5 L_2, so that the
  // constraint (u_1 - u_0) . L <= 0 is violated. The direction must lower it.
  const Case problem{{3.0, 1.0}, {1, 0, 0, 1}, {1.0, 1.0}, {}};
  const Solution solution = pmtl_with("0.2,1")->weigh(problem.view());
  EXPECT_NE(solution.weights, make_solver("mgda")->weigh(problem.view()).weights);
  const double length = std::hypot(5.0, 1.0);
  const double change = (5.0 / length - std::sqrt(0.5)) * solution.weights[0] +
                        (1.0 / length - std::sqrt(0.5)) * solution.weights[1];
  EXPECT_GT(change, 0.0);
  EXPECT_GT(solution.weights[0], solution.weights[1]);
}

TEST(Pmtl, IsNotBoundByACopyOfItsOwnVector) {
  const Case problem{{3.0, 1.0}, {2, 0.5, 0.5, 1}, {1.0, 2.0}, {}};
  EXPECT_EQ(pmtl_with("2,4")->weigh(problem.view()).weights,
            make_solver("mgda")->weigh(problem.view()).weights);
}

TEST(Pmtl, EndsWhereDoublesCannotHoldItsConstraints) {
  const std::vector<double> gradients{
      3.4550791882224496,      9.9451653563610822,     -2.1244601127105747,     0,
      2.8163135447549346,      -1.1077417958988971,    -2.3741721616136355,     -3.612471132276406,
      -7.0592199943078224e-48, 7.0592199943078224e-48, -2.3764759834353969e-48, 3.2998168687645578e-48,
      4.9725826781805411,      -1.1659548613772028,    1.6113913983603634e-48,  -7.0592199943078224e-48};
  const Case problem{
      {1.1682517473150739e+96, 6.7558266629189399e-234, 2.0545835066797667e+215, 1.9599951499945271e+80,
       3.0202171041963485e-257, 4.2157189608274606e+116, 3.8193863317781706e-105, 1.0081725044815493e-272},
      gram_of(gradients, 8),
      {0.30142918914982325, 765670723.14352274, 1951.3654046464233, 2.3566089880355663e-08,
       3.3688111927807859e-10, 4890.1655767983602, 0.28349073258381113, 2249262120.5291624},
      {}};
  const Solution solution = make_solver("pmtl")->weigh(problem.view());
  EXPECT_EQ(solution.status, Status::infeasible);
  EXPECT_EQ(solution.weights, make_solver("mgda")->weigh(problem.view()).weights);
  EXPECT_EQ(solution.objective, make_solver("mgda")->weigh(problem.view()).objective);
}

TEST(Pmtl, RefusesVectorsThatAreNone) {
  EXPECT_THAT([] { (void)pmtl_with("1,-1"); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("pmtl_vectors: expected axes, or a list of numbers above 0")));
  const Case problem{{1, 1}, {1, 0, 0, 1}, {1, 1}, {}};
  EXPECT_THAT([&] { (void)pmtl_with("1,2,3")->weigh(problem.view()); },
              ThrowsMessage<InvalidProblem>(
                  HasSubstr("pmtl_vectors: expected one number per objective in each vector (2), got 3")));
}

}  // namespace
}  // namespace pair::moo::methods_test

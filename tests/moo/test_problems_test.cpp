#include "pair/moo/test_problems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "pair/moo/pareto.h"
#include "pair/moo/problem.h"
#include "pair/moo/registry.h"

namespace pair::moo::test_problems_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<double> normal_point(std::mt19937_64& random, std::size_t variables, double deviation) {
  std::normal_distribution<double> normal(0.0, deviation);
  std::vector<double> x(variables);
  std::generate(x.begin(), x.end(), [&] { return normal(random); });
  return x;
}

// Uniform on the triangle.
std::array<double, 3> barycentric_point(std::mt19937_64& random) {
  std::exponential_distribution<double> exponential;
  std::array<double, 3> l{exponential(random), exponential(random), exponential(random)};
  const double sum = l[0] + l[1] + l[2];
  for (double& value : l) {
    value /= sum;
  }
  return l;
}

double distance(std::span<const double> a, std::span<const double> b) {
  double square = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    square += (a[k] - b[k]) * (a[k] - b[k]);
  }
  return std::sqrt(square);
}

double stationarity(const GaussianWells& problem, std::span<const double> x) {
  return pareto_stationarity(gram_of(problem.gradients(x), problem.objectives()), problem.objectives());
}

void expect_gradients_of_losses(const GaussianWells& problem) {
  std::mt19937_64 random(1);
  constexpr double h = 1e-5;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto x = normal_point(random, problem.variables(), 0.3);
    const auto gradients = problem.gradients(x);
    ASSERT_EQ(gradients.size(), problem.objectives() * problem.variables());
    for (std::size_t k = 0; k < x.size(); ++k) {
      auto ahead = x;
      auto behind = x;
      ahead[k] += h;
      behind[k] -= h;
      const auto above = problem.losses(ahead);
      const auto below = problem.losses(behind);
      for (std::size_t i = 0; i < problem.objectives(); ++i) {
        EXPECT_NEAR(gradients[i * x.size() + k], (above[i] - below[i]) / (2 * h), 1e-9);
      }
    }
  }
}

// Points of the whole space, near the origin and far away, against one point of the front.
void expect_no_point_dominates(const GaussianWells& problem, std::span<const double> front,
                               std::span<const double> front_x, std::mt19937_64& random) {
  for (const double deviation : {1e-6, 1e-3, 0.05, 0.3}) {
    auto x = normal_point(random, problem.variables(), deviation);
    EXPECT_FALSE(dominates(problem.losses(x), front));
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] += front_x[k];
    }
    // A step of 1e-6 changes losses by 1e-12 to second order, far above the rounding of either formula.
    EXPECT_FALSE(dominates(problem.losses(x), front));
  }
}

TEST(FonsecaFleming, IsThePublishedFormula) {
  const FonsecaFleming problem(3);
  const std::vector<double> x{0.1, -0.2, 0.5};
  double first = 0.0;
  double second = 0.0;
  for (const double value : x) {
    first += std::pow(value - 1.0 / std::sqrt(3.0), 2);
    second += std::pow(value + 1.0 / std::sqrt(3.0), 2);
  }
  const auto losses = problem.losses(x);
  EXPECT_DOUBLE_EQ(losses[0], 1.0 - std::exp(-first));
  EXPECT_DOUBLE_EQ(losses[1], 1.0 - std::exp(-second));
}

TEST(FonsecaFleming, HasTheGradientsOfItsLosses) {
  expect_gradients_of_losses(FonsecaFleming(1));
  expect_gradients_of_losses(FonsecaFleming(20));
}

TEST(FonsecaFleming, FrontIsTheLossesOnTheParetoSet) {
  for (const std::size_t n : {1u, 2u, 20u, 1000u}) {
    const FonsecaFleming problem(n);
    for (int k = -10; k <= 10; ++k) {
      const double t = problem.end() * k / 10;
      const auto losses = problem.losses(problem.pareto_set(t));
      EXPECT_NEAR(losses[0], problem.front(t)[0], 1e-14);
      EXPECT_NEAR(losses[1], problem.front(t)[1], 1e-14);
    }
    EXPECT_EQ(problem.front(problem.end())[0], 0.0);
    EXPECT_NEAR(problem.front(problem.end())[1], 1.0 - std::exp(-4.0), 1e-15);
  }
}

TEST(FonsecaFleming, IsParetoStationaryOnTheFrontAndNotBesideIt) {
  const FonsecaFleming problem(20);
  std::mt19937_64 random(2);
  for (int k = -10; k <= 10; ++k) {
    auto x = problem.pareto_set(problem.end() * k / 10);
    EXPECT_LT(stationarity(problem, x), 1e-7);
    x[0] += 0.1;
    EXPECT_GT(stationarity(problem, x), 1e-3);
  }
}

TEST(FonsecaFleming, NoPointDominatesTheFront) {
  const FonsecaFleming problem(20);
  std::mt19937_64 random(3);
  for (int k = -50; k <= 50; ++k) {
    const double t = problem.end() * k / 50;
    expect_no_point_dominates(problem, problem.front(t), problem.pareto_set(t), random);
  }
}

TEST(FonsecaFleming, EveryPointBesideTheParetoSetIsDominatedByItsProjection) {
  const FonsecaFleming problem(20);
  std::mt19937_64 random(4);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const auto x = normal_point(random, 20, 0.3);
    const double mean = std::accumulate(x.begin(), x.end(), 0.0) / 20.0;
    EXPECT_TRUE(dominates(problem.front(std::clamp(mean, -problem.end(), problem.end())), problem.losses(x)));
  }
}

TEST(FonsecaFleming, FrontIsConcaveBetweenItsInflectionsAndConvexBeyond) {
  const FonsecaFleming problem(20);
  constexpr int steps = 1000;
  double last_slope = 0.0;
  for (int k = -steps + 1; k < steps; ++k) {
    const auto left = problem.front(problem.end() * (k + 1) / steps);
    const auto right = problem.front(problem.end() * k / steps);
    const double slope = (right[1] - left[1]) / (right[0] - left[0]);
    const double t = problem.end() * k / steps;
    // Going left along f_1, a concave curve grows flatter (its negative slope rises).
    if (k > -steps + 1 && std::abs(std::abs(t) - problem.inflection()) > 2 * problem.end() / steps) {
      EXPECT_EQ(slope > last_slope, std::abs(t) < problem.inflection()) << "t = " << t;
    }
    last_slope = slope;
  }
}

TEST(FonsecaFleming, HasOnePreferredPointForEveryPreference) {
  for (const std::size_t n : {1u, 20u, 1000u}) {
    const FonsecaFleming problem(n);
    for (const double ratio : {1e-8, 1e-4, 0.01, 0.1, 0.5, 1.0, 2.0, 10.0, 100.0, 1e4, 1e8}) {
      const std::vector<double> preference{ratio, 1.0};
      const double t = problem.preferred(preference);
      const auto losses = problem.front(t);
      // Near an end, one rounding of t moves the small loss by 2e-16 / sqrt(loss), relatively.
      EXPECT_NEAR(ratio * losses[0] / losses[1], 1.0, 1e-10) << ratio;
      const std::vector<double> scaled{1e6 * ratio, 1e6};
      EXPECT_NEAR(problem.preferred(scaled), t, 1e-15);
      const std::vector<double> mirrored{1.0, ratio};
      EXPECT_NEAR(problem.preferred(mirrored), -t, 1e-15);
    }
    EXPECT_EQ(problem.preferred(std::vector<double>{1.0, 1.0}), 0.0);
    EXPECT_NEAR(problem.preferred(std::vector<double>{1e50, 1.0}), problem.end(), 1e-15);
  }
}

TEST(FonsecaFleming, RefusesWhatItHasNoPointFor) {
  const FonsecaFleming problem(20);
  EXPECT_THROW(FonsecaFleming(0), std::invalid_argument);
  EXPECT_THAT(
      [&] { (void)problem.losses(std::vector<double>(19)); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("x: expected 20 values, one per variable, got 19")));
  EXPECT_THROW((void)problem.gradients(std::vector<double>(21)), std::invalid_argument);
  EXPECT_THAT([&] { (void)problem.front(0.5); }, ThrowsMessage<std::invalid_argument>(HasSubstr("got 0.5")));
  EXPECT_THROW((void)problem.pareto_set(std::nan("")), std::invalid_argument);
  EXPECT_THAT(
      [&] {
        (void)problem.preferred(std::vector<double>{1.0, 0.0});
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("preference[1]: expected a finite positive number, got 0")));
  EXPECT_THROW((void)problem.preferred(std::vector<double>{1.0, 1.0, 1.0}), std::invalid_argument);
}

TEST(ThreeCentres, LieTwoApartAboutTheOrigin) {
  for (const std::size_t n : {2u, 3u, 20u, 501u}) {
    const ThreeCentres problem(n);
    const std::vector<double> origin(n, 0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(distance(problem.centre(i), problem.centre((i + 1) % 3)), 2.0, 1e-13);
      EXPECT_NEAR(distance(problem.centre(i), origin), 2.0 / std::sqrt(3.0), 1e-13);
      EXPECT_EQ(problem.losses(problem.centre(i))[i], 0.0);
    }
  }
}

TEST(ThreeCentres, HaveTheGradientsOfTheirLosses) {
  expect_gradients_of_losses(ThreeCentres(2));
  expect_gradients_of_losses(ThreeCentres(20));
}

TEST(ThreeCentres, FrontIsTheLossesOnTheTriangle) {
  std::mt19937_64 random(5);
  for (const std::size_t n : {2u, 3u, 20u}) {
    const ThreeCentres problem(n);
    for (int repeat = 0; repeat < 100; ++repeat) {
      const auto l = barycentric_point(random);
      const auto losses = problem.losses(problem.pareto_set(l));
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(losses[i], problem.front(l)[i], 1e-14);
      }
    }
  }
}

TEST(ThreeCentres, OnAnEdgeTwoObjectivesAreFonsecaAndFlemings) {
  const ThreeCentres three(20);
  const FonsecaFleming two(20);
  for (int k = -10; k <= 10; ++k) {
    const double u = k / 10.0;
    const auto edge = three.front(std::array{(1 + u) / 2, (1 - u) / 2, 0.0});
    EXPECT_NEAR(edge[0], two.front(u * two.end())[0], 1e-15);
    EXPECT_NEAR(edge[1], two.front(u * two.end())[1], 1e-15);
  }
}

TEST(ThreeCentres, AreParetoStationaryOnTheFrontAndNotBesideIt) {
  const ThreeCentres problem(20);
  std::mt19937_64 random(6);
  for (int repeat = 0; repeat < 100; ++repeat) {
    auto x = problem.pareto_set(barycentric_point(random));
    EXPECT_LT(stationarity(problem, x), 1e-7);
    x[0] += 0.1;
    EXPECT_GT(stationarity(problem, x), 1e-3);
  }
}

TEST(ThreeCentres, NoPointDominatesTheFront) {
  const ThreeCentres problem(20);
  std::mt19937_64 random(7);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const auto l = barycentric_point(random);
    expect_no_point_dominates(problem, problem.front(l), problem.pareto_set(l), random);
  }
}

TEST(ThreeCentres, FrontPointsDoNotDominateEachOther) {
  const ThreeCentres problem(20);
  std::mt19937_64 random(8);
  std::vector<double> points;
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const auto losses = problem.front(barycentric_point(random));
    points.insert(points.end(), losses.begin(), losses.end());
  }
  EXPECT_EQ(non_dominated(points, 3).size(), 1000);
}

TEST(ThreeCentres, RefuseWhatTheyHaveNoPointFor) {
  const ThreeCentres problem(20);
  EXPECT_THROW(ThreeCentres(1), std::invalid_argument);
  EXPECT_THROW((void)problem.losses(std::vector<double>(3)), std::invalid_argument);
  EXPECT_THAT(
      [&] {
        (void)problem.front(std::array{0.5, 0.7, -0.2});
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("barycentric[2]: expected a number that is not negative, got -0.2")));
  EXPECT_THAT(
      [&] {
        (void)problem.pareto_set(std::array{0.5, 0.5, 0.5});
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("barycentric: expected coordinates that sum to 1, got the sum 1.5")));
}

TEST(Descend, EndsOnTheParetoSetUnderTheMinimumNormWeights) {
  std::mt19937_64 random(9);
  const FonsecaFleming two(20);
  const ThreeCentres three(20);
  const std::vector<double> preference{1, 1, 1};
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = normal_point(random, 20, 0.15);
    EXPECT_LT(stationarity(two, descend(two, *make_solver("mgda"), std::span(preference).first(2), start)),
              1e-6);
    EXPECT_LT(stationarity(three, descend(three, *make_solver("mgda"), preference, start)), 1e-6);
  }
}

TEST(Descend, RefusesARateThatIsNone) {
  const FonsecaFleming problem(2);
  const std::vector<double> preference{1, 1};
  EXPECT_THAT(
      [&] {
        (void)descend(problem, *make_solver("mgda"), preference, {0, 0}, {.rate = 0.0, .steps = 1});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("rate: expected a finite positive number, got 0")));
}

}  // namespace
}  // namespace pair::moo::test_problems_test

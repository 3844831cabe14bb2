// Figure 1(c) of the paper as a test: on a concave front, linear weights only reach the ends, while EPO's
// weights lead plain gradient steps to the preferred point.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "pair/moo/epo.h"
#include "pair/moo/min_norm.h"
#include "pair/moo/pareto.h"
#include "pair/moo/registry.h"
#include "pair/moo/test_problems.h"

namespace pair::moo::concave_front_test {
namespace {

constexpr std::size_t variables = 20;
constexpr std::size_t rays = 20;

// Rays through the positive quadrant at equal angles; the losses on ray k are in the ratio cos : sin. No ray
// is the diagonal, which symmetry would make special.
std::vector<std::array<double, 2>> preferences() {
  std::vector<std::array<double, 2>> result;
  for (std::size_t k = 0; k < rays; ++k) {
    const double angle = (static_cast<double>(k) + 0.5) / rays * std::numbers::pi / 2;
    result.push_back({1.0 / std::cos(angle), 1.0 / std::sin(angle)});
  }
  return result;
}

std::vector<double> random_start(std::mt19937_64& random, double bound) {
  std::uniform_real_distribution<double> uniform(-bound, bound);
  std::vector<double> x(variables);
  std::generate(x.begin(), x.end(), [&] { return uniform(random); });
  return x;
}

// The box between the centres, where such problems are usually started; the middle of the Pareto set, where
// the gradients of an equal weighting cancel; near either end of it; and at a distance of 1 from it.
std::vector<std::vector<double>> starts(const FonsecaFleming& problem) {
  std::mt19937_64 random(1);
  std::vector<std::vector<double>> result;
  for (int repeat = 0; repeat < 3; ++repeat) {
    result.push_back(random_start(random, problem.end()));
  }
  for (const double u : {0.0, 0.9, -0.9}) {
    result.push_back(problem.pareto_set(u * problem.end()));
  }
  std::vector<double> beside(variables);
  for (std::size_t k = 0; k < variables; ++k) {
    beside[k] = (k % 2 == 0 ? 1.0 : -1.0) / std::sqrt(static_cast<double>(variables));
  }
  result.push_back(beside);
  return result;
}

double mean(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double distance_to_pareto_set(const FonsecaFleming& problem, std::span<const double> x) {
  const double nearest = std::clamp(mean(x), -problem.end(), problem.end());
  double square = 0.0;
  for (const double value : x) {
    square += (value - nearest) * (value - nearest);
  }
  return std::sqrt(square);
}

double divergence(const GaussianWells& problem, std::span<const double> preference,
                  std::span<const double> x) {
  const auto losses = problem.losses(x);
  const auto gram = gram_of(problem.gradients(x), problem.objectives());
  return Epo().weigh({losses, gram, preference}).divergence;
}

TEST(ConcaveFront, EpoReachesThePreferredPointOnEveryRay) {
  const FonsecaFleming problem(variables);
  for (const auto& preference : preferences()) {
    const auto preferred = problem.front(problem.preferred(preference));
    for (const auto& start : starts(problem)) {
      const auto x = descend(problem, Epo(), preference, start);
      EXPECT_LT(divergence(problem, preference, x), 1e-3);
      EXPECT_LT(distance_to_pareto_set(problem, x), 1e-6);
      // The distance on the front that corresponds to EPO's epsilon, 1e-4.
      EXPECT_NEAR(problem.losses(x)[0], preferred[0], 0.02);
      EXPECT_NEAR(problem.losses(x)[1], preferred[1], 0.02);
    }
  }
}

TEST(ConcaveFront, EpoEndsAsNearToThePreferredPointAsEpsilonAsks) {
  const FonsecaFleming problem(variables);
  std::mt19937_64 random(2);
  for (const auto& preference : preferences()) {
    const auto preferred = problem.front(problem.preferred(preference));
    const auto start = random_start(random, problem.end());
    for (const double epsilon : {1e-4, 1e-6, 1e-8}) {
      const auto x = descend(problem, Epo(epsilon), preference, start);
      EXPECT_LE(divergence(problem, preference, x), epsilon);
      // The divergence grows with the square of the distance.
      EXPECT_NEAR(problem.losses(x)[0], preferred[0], 2 * std::sqrt(epsilon));
      EXPECT_NEAR(problem.losses(x)[1], preferred[1], 2 * std::sqrt(epsilon));
    }
  }
}

TEST(ConcaveFront, LinearWeightingWithTheSamePreferencesReachesOnlyTheEnds) {
  const FonsecaFleming problem(variables);
  const double small = problem.front(problem.inflection())[0];  // 0.082
  for (const auto& preference : preferences()) {
    for (const auto& start : starts(problem)) {
      const auto x = descend(problem, *make_solver("linear"), preference, start);
      EXPECT_LT(distance_to_pareto_set(problem, x), 1e-6);  // a point of the front,
      EXPECT_GT(std::abs(mean(x)), problem.inflection());   // on one of its convex ends,
      const auto losses = problem.losses(x);
      EXPECT_LT(std::min(losses[0], losses[1]), small);  // with one objective given up,
      EXPECT_GT(std::max(losses[0], losses[1]), 0.9);
      EXPECT_GT(divergence(problem, preference, x), 0.1);  // and not the one preferred
    }
  }
}

TEST(ConcaveFront, NoWeightsLeadLinearWeightingBetweenTheInflections) {
  const FonsecaFleming problem(variables);
  std::mt19937_64 random(3);
  constexpr int count = 100;
  for (int k = 1; k < count; ++k) {
    const std::array weights{k / double{count}, 1.0 - k / double{count}};
    const auto x = descend(problem, *make_solver("linear"), weights, random_start(random, problem.end()));
    EXPECT_GT(std::abs(mean(x)), problem.inflection()) << "weight " << weights[0];
  }
}

TEST(ConcaveFront, EvenTheWeightsThatBalanceAtAConcavePointLeadAwayFromIt) {
  const FonsecaFleming problem(variables);
  int concave = 0;
  for (const auto& preference : preferences()) {
    const double t = problem.preferred(preference);
    if (std::abs(t) >= problem.inflection()) {
      continue;
    }
    ++concave;
    const auto gram = gram_of(problem.gradients(problem.pareto_set(t)), 2);
    const auto weights = min_norm(gram, 2).weights;
    for (const double nudge : {-1e-3, 1e-3}) {
      const auto start = problem.pareto_set(t + nudge);
      // Close to the inflection the push is faint, and it takes longer.
      const auto x = descend(problem, *make_solver("linear"), weights, start, {.rate = 0.1, .steps = 2000});
      EXPECT_GT(std::abs(mean(x)), problem.inflection()) << "from t = " << start[0];
      EXPECT_GT((mean(x) - t) * nudge, 0.0);
    }
  }
  EXPECT_EQ(concave, 18);
}

TEST(ConcaveFront, EpoCoversMoreOfTheSpaceOfLossesThanLinearWeighting) {
  const FonsecaFleming problem(variables);
  std::mt19937_64 random(4);
  std::vector<double> by_epo;
  std::vector<double> by_linear;
  for (const auto& preference : preferences()) {
    const auto start = random_start(random, problem.end());
    const auto epo = problem.losses(descend(problem, Epo(), preference, start));
    const auto linear = problem.losses(descend(problem, *make_solver("linear"), preference, start));
    by_epo.insert(by_epo.end(), epo.begin(), epo.end());
    by_linear.insert(by_linear.end(), linear.begin(), linear.end());
  }
  EXPECT_EQ(non_dominated(by_epo, 2).size(), rays);
  const std::array reference{1.0, 1.0};
  EXPECT_GT(hypervolume(by_epo, 2, reference), 5 * hypervolume(by_linear, 2, reference));
}

TEST(ConcaveFront, EpoReachesThePreferredPointOfThreeObjectives) {
  const ThreeCentres problem(variables);
  std::mt19937_64 random(5);
  // The inside of the triangle on a grid of barycentric coordinates.
  constexpr int grid = 10;
  for (int i = 1; i < grid; ++i) {
    for (int j = 1; i + j < grid; ++j) {
      const std::array l{i / double{grid}, j / double{grid}, (grid - i - j) / double{grid}};
      const auto preferred = problem.front(l);
      const std::array preference{1.0 / preferred[0], 1.0 / preferred[1], 1.0 / preferred[2]};
      const auto x = descend(problem, Epo(), preference, random_start(random, 0.2));
      const auto losses = problem.losses(x);
      EXPECT_LT(divergence(problem, preference, x), 1e-3);
      EXPECT_LT(pareto_stationarity(gram_of(problem.gradients(x), 3), 3), 1e-6);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(losses[k], preferred[k], 0.03);
      }
    }
  }
}

}  // namespace
}  // namespace pair::moo::concave_front_test

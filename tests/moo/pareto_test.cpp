#include "pair/moo/pareto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "pair/moo/problem.h"

namespace pair::moo::pareto_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = std::numbers::pi;

// Values from a small grid, so that ties and copies are common.
std::vector<double> grid_points(std::mt19937_64& random, std::size_t count, std::size_t m, int levels) {
  std::uniform_int_distribution<int> level(0, levels - 1);
  std::vector<double> points(count * m);
  std::generate(points.begin(), points.end(), [&] { return static_cast<double>(level(random)); });
  return points;
}

std::vector<double> random_points(std::mt19937_64& random, std::size_t count, std::size_t m) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<double> points(count * m);
  std::generate(points.begin(), points.end(), [&] { return uniform(random); });
  return points;
}

std::vector<double> rows_of(const std::vector<double>& points, std::size_t m,
                            const std::vector<std::size_t>& rows) {
  std::vector<double> result;
  for (const std::size_t row : rows) {
    const auto values = std::span(points).subspan(row * m, m);
    result.insert(result.end(), values.begin(), values.end());
  }
  return result;
}

std::vector<double> shuffled(std::mt19937_64& random, const std::vector<double>& points, std::size_t m) {
  std::vector<std::size_t> order(points.size() / m);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  return rows_of(points, m, order);
}

std::vector<std::size_t> non_dominated_by_comparing_all(std::span<const double> points, std::size_t m) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < points.size() / m; ++i) {
    bool dominated = false;
    for (std::size_t j = 0; j < points.size() / m; ++j) {
      dominated = dominated || dominates(points.subspan(j * m, m), points.subspan(i * m, m));
    }
    if (!dominated) {
      result.push_back(i);
    }
  }
  return result;
}

// --- Domination and the filter ---

TEST(Domination, NeedsOneObjectiveToBeBetterAndNoneWorse) {
  const std::vector<double> a{1, 2};
  EXPECT_TRUE(dominates(a, std::vector<double>{1, 3}));
  EXPECT_TRUE(dominates(a, std::vector<double>{2, 3}));
  EXPECT_FALSE(dominates(a, std::vector<double>{0, 3}));
  EXPECT_FALSE(dominates(a, a));
  EXPECT_FALSE(dominates(a, std::vector<double>{nan, 3}));
  EXPECT_THROW((void)dominates(a, std::vector<double>{1, 2, 3}), std::invalid_argument);
}

TEST(NonDominated, KeepsWhatNoOtherPointDominates) {
  EXPECT_THAT(non_dominated(std::vector<double>{3, 1, 2, 2, 3, 3, 1, 4, 2, 5}, 2), ElementsAre(0, 1, 3));
  EXPECT_THAT(non_dominated(std::vector<double>{1, 1, 9, 1, 1, 8, 0, 9, 9, 2, 2, 8}, 3), ElementsAre(1, 2));
  EXPECT_THAT(non_dominated({}, 2), IsEmpty());
}

TEST(NonDominated, KeepsAllCopiesOrNone) {
  EXPECT_THAT(non_dominated(std::vector<double>{1, 2, 3, 3, 1, 2, 3, 3, 2, 1}, 2), ElementsAre(0, 2, 4));
  EXPECT_THAT(non_dominated(std::vector<double>{0.0, 1.0, -0.0, 1.0}, 2), ElementsAre(0, 1));
}

TEST(NonDominated, AgreesWithComparingAllPairs) {
  std::mt19937_64 random(1);
  for (std::size_t m = 1; m <= 5; ++m) {
    for (const std::size_t count : {1u, 2u, 3u, 10u, 100u, 300u}) {
      for (const int levels : {2, 5, 20, 1000}) {
        const auto points = grid_points(random, count, m, levels);
        EXPECT_EQ(non_dominated(points, m), non_dominated_by_comparing_all(points, m))
            << count << " points, " << m << " objectives, " << levels << " levels";
      }
    }
  }
}

TEST(NonDominated, OfItsOwnAnswerIsTheAnswer) {
  std::mt19937_64 random(2);
  for (const std::size_t m : {2u, 3u, 4u}) {
    const auto points = random_points(random, 500, m);
    const auto front = rows_of(points, m, non_dominated(points, m));
    EXPECT_EQ(non_dominated(front, m).size() * m, front.size());
  }
}

TEST(NonDominated, TakesDivergedRunsForTheWorst) {
  EXPECT_THAT(non_dominated(std::vector<double>{infinity, infinity, 1, 2, infinity, 1}, 2),
              ElementsAre(1, 2));
  EXPECT_THAT(non_dominated(std::vector<double>{infinity, 0, 0, 1, 0, 0}, 3), ElementsAre(1));
}

// Comparing all pairs of these would take half a minute.
TEST(NonDominated, FiltersLargeFrontsOfTwoAndThreeObjectives) {
  constexpr std::size_t count = 100'000;
  std::mt19937_64 random(3);
  const auto positions = random_points(random, count, 2);
  std::vector<double> plane;
  std::vector<double> space;
  for (std::size_t i = 0; i < count; ++i) {
    const double u = positions[2 * i];
    const double v = positions[2 * i + 1];
    plane.insert(plane.end(), {u, -u});
    space.insert(space.end(), {u, v, -u - v});
  }
  EXPECT_EQ(non_dominated(plane, 2).size(), count);
  // Rounding of the third coordinate lets a few neighbours dominate each other.
  EXPECT_GT(non_dominated(space, 3).size(), count - 10);
}

TEST(NonDominated, RefusesWhatIsNoSetOfPoints) {
  EXPECT_THAT(
      [] {
        (void)non_dominated(std::vector<double>{1, 2, 3, nan}, 2);
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("points[1][1]: expected a number, got nan")));
  EXPECT_THAT(
      [] {
        (void)non_dominated(std::vector<double>{1, 2, 3}, 2);
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("points: expected a multiple of the number of objectives, 2, got 3")));
  EXPECT_THAT(
      [] {
        (void)non_dominated(std::vector<double>{1, 2}, 0);
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("objectives: expected at least 1, got 0")));
}

// --- Hypervolume ---

TEST(Hypervolume, OfOnePointIsItsBox) {
  EXPECT_EQ(hypervolume(std::vector<double>{1, 2}, 2, std::vector<double>{4, 4}), 6.0);
  EXPECT_EQ(hypervolume(std::vector<double>{1, 2, 3}, 3, std::vector<double>{4, 4, 4}), 6.0);
  EXPECT_EQ(hypervolume({}, 2, std::vector<double>{4, 4}), 0.0);
  EXPECT_EQ(hypervolume({}, 3, std::vector<double>{4, 4, 4}), 0.0);
}

TEST(Hypervolume, CountsOverlapsOnce) {
  EXPECT_EQ(hypervolume(std::vector<double>{1, 3, 2, 2, 3, 1}, 2, std::vector<double>{4, 4}), 3 + 2 + 1);
  // Inclusion and exclusion: the boxes, less what each pair shares, plus what all three do. Every two meet in
  // the box of (2, 2, 3).
  EXPECT_EQ(hypervolume(std::vector<double>{1, 2, 3, 2, 1, 3, 2, 2, 1}, 3, std::vector<double>{4, 4, 4}),
            (6 + 6 + 12) - (4 + 4 + 4) + 4);
}

TEST(Hypervolume, OnAGridIsTheNumberOfDominatedCells) {
  std::mt19937_64 random(4);
  constexpr int levels = 8;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const std::size_t count = 1 + static_cast<std::size_t>(repeat) % 30;
    for (const std::size_t m : {2u, 3u}) {
      const auto points = grid_points(random, count, m, levels + 2);  // some not below the reference
      const std::vector<double> reference(m, levels);
      int cells = 0;
      for (int cell = 0; cell < levels * levels * (m == 3 ? levels : 1); ++cell) {
        const int layer = cell / levels / levels;
        const double corner[] = {static_cast<double>(cell % levels),
                                 static_cast<double>(cell / levels % levels), static_cast<double>(layer)};
        bool dominated = false;
        for (std::size_t i = 0; i < count; ++i) {
          bool below = true;
          for (std::size_t k = 0; k < m; ++k) {
            below = below && points[i * m + k] <= corner[k];
          }
          dominated = dominated || below;
        }
        cells += dominated ? 1 : 0;
      }
      ASSERT_EQ(hypervolume(points, m, reference), cells) << m << " objectives, repeat " << repeat;
    }
  }
}

TEST(Hypervolume, AgreesWithMonteCarlo) {
  std::mt19937_64 random(5);
  constexpr std::size_t samples = 40'000;
  for (const std::size_t m : {2u, 3u}) {
    const auto points = random_points(random, 40, m);
    const auto probes = random_points(random, samples, m);
    std::size_t hits = 0;
    for (std::size_t s = 0; s < samples; ++s) {
      for (std::size_t i = 0; i < points.size() / m; ++i) {
        if (dominates(std::span(points).subspan(i * m, m), std::span(probes).subspan(s * m, m))) {
          ++hits;
          break;
        }
      }
    }
    const double estimate = static_cast<double>(hits) / static_cast<double>(samples);
    const double deviation = std::sqrt(estimate * (1.0 - estimate) / static_cast<double>(samples));
    EXPECT_NEAR(hypervolume(points, m, std::vector<double>(m, 1.0)), estimate, 4.0 * deviation);
  }
}

TEST(Hypervolume, DoesNotDependOnTheOrderOfPoints) {
  std::mt19937_64 random(6);
  for (const std::size_t m : {2u, 3u}) {
    const auto points = random_points(random, 300, m);
    const std::vector<double> reference(m, 0.9);
    const double volume = hypervolume(points, m, reference);
    for (int repeat = 0; repeat < 10; ++repeat) {
      EXPECT_EQ(hypervolume(shuffled(random, points, m), m, reference), volume);
    }
  }
}

TEST(Hypervolume, DoesNotDependOnTheOrderOfObjectives) {
  std::mt19937_64 random(7);
  const auto points = random_points(random, 100, 3);
  const std::vector<double> reference{0.8, 0.9, 1.0};
  const double volume = hypervolume(points, 3, reference);
  std::vector<std::size_t> axes{0, 1, 2};
  do {
    std::vector<double> turned(points.size());
    for (std::size_t k = 0; k < points.size(); ++k) {
      turned[k] = points[k / 3 * 3 + axes[k % 3]];
    }
    const std::vector<double> corner{reference[axes[0]], reference[axes[1]], reference[axes[2]]};
    EXPECT_NEAR(hypervolume(turned, 3, corner), volume, 1e-14);
  } while (std::next_permutation(axes.begin(), axes.end()));
}

TEST(Hypervolume, MovesWithTranslationAndScalesWithUnits) {
  std::mt19937_64 random(8);
  for (const std::size_t m : {2u, 3u}) {
    const auto points = random_points(random, 100, m);
    std::vector<double> moved(points);
    std::vector<double> scaled(points);
    for (std::size_t k = 0; k < points.size(); ++k) {
      moved[k] += static_cast<double>(k % m) - 5.0;
      scaled[k] *= std::ldexp(1.0, static_cast<int>(k % m) + 1);
    }
    const std::vector<double> one{1, 1, 1};
    const std::vector<double> moved_one{-4, -3, -2};
    const std::vector<double> scaled_one{2, 4, 8};
    const double volume = hypervolume(points, m, std::span(one).first(m));
    EXPECT_NEAR(hypervolume(moved, m, std::span(moved_one).first(m)), volume, 1e-14);
    EXPECT_EQ(hypervolume(scaled, m, std::span(scaled_one).first(m)), (m == 2 ? 8 : 64) * volume);
  }
}

TEST(Hypervolume, IsThatOfTheNonDominatedPoints) {
  std::mt19937_64 random(9);
  for (const std::size_t m : {2u, 3u}) {
    const auto points = random_points(random, 400, m);
    const std::vector<double> reference(m, 1.0);
    const auto front = non_dominated(points, m);
    EXPECT_NEAR(hypervolume(rows_of(points, m, front), m, reference), hypervolume(points, m, reference),
                1e-14);
    // and every one of them counts
    for (const std::size_t left_out : front) {
      auto rest = front;
      std::erase(rest, left_out);
      EXPECT_LT(hypervolume(rows_of(points, m, rest), m, reference), hypervolume(points, m, reference));
    }
  }
}

TEST(Hypervolume, InSpaceWithOneEqualHeightIsAreaTimesHeight) {
  std::mt19937_64 random(10);
  const auto plane = random_points(random, 50, 2);
  std::vector<double> space;
  for (std::size_t i = 0; i < 50; ++i) {
    space.insert(space.end(), {plane[2 * i], plane[2 * i + 1], 0.5});
  }
  EXPECT_NEAR(hypervolume(space, 3, std::vector<double>{1, 1, 2.5}),
              2.0 * hypervolume(plane, 2, std::vector<double>{1, 1}), 1e-14);
}

TEST(Hypervolume, IgnoresPointsThatAreNotBelowTheReference) {
  EXPECT_EQ(hypervolume(std::vector<double>{1, 1, 0, 2, infinity, 0, 3, 3}, 2, std::vector<double>{2, 2}), 1);
  EXPECT_EQ(hypervolume(std::vector<double>{0, 0, 2}, 3, std::vector<double>{2, 2, 2}), 0);
}

TEST(Hypervolume, RefusesWhatHasNoFiniteVolume) {
  const std::vector<double> point{1, 1};
  EXPECT_THAT(
      [&] {
        (void)hypervolume({}, 4, std::vector<double>{1, 1, 1, 1});
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("objectives: expected 2 or 3 for the hypervolume, got 4")));
  EXPECT_THAT([&] { (void)hypervolume(point, 1, std::vector<double>{1}); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("objectives: expected 2 or 3 for the hypervolume, got 1")));
  EXPECT_THAT(
      [&] {
        (void)hypervolume(point, 2, std::vector<double>{1, 1, 1});
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("reference: expected 2 values, one per objective, got 3")));
  EXPECT_THAT(
      [&] {
        (void)hypervolume(point, 2, std::vector<double>{1, infinity});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("reference[1]: expected a finite number, got inf")));
  EXPECT_THAT(
      [&] {
        (void)hypervolume(std::vector<double>{nan, 1}, 2, std::vector<double>{2, 2});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("points[0][0]: expected a number, got nan")));
  EXPECT_THAT(
      [&] {
        (void)hypervolume(std::vector<double>{1, -infinity}, 2, std::vector<double>{2, 2});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("points[0][1]: expected a value above -inf")));
}

// --- Stationarity and conflict ---

TEST(ParetoStationarity, IsZeroWhereGradientsCancel) {
  EXPECT_NEAR(pareto_stationarity(std::vector<double>{1, -2, -2, 4}, 2), 0.0, 1e-12);
  EXPECT_EQ(pareto_stationarity(std::vector<double>{0, 0, 0, 4}, 2), 0.0);
  // three gradients at 120 degrees
  EXPECT_NEAR(pareto_stationarity(std::vector<double>{1, -.5, -.5, -.5, 1, -.5, -.5, -.5, 1}, 3), 0.0, 1e-12);
}

TEST(ParetoStationarity, IsTheDistanceOfTheGradientsHullFromZero) {
  EXPECT_NEAR(pareto_stationarity(std::vector<double>{1, 0, 0, 1}, 2), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(pareto_stationarity(std::vector<double>{9, 12, 12, 16}, 2), 3.0, 1e-15);
  EXPECT_NEAR(pareto_stationarity(std::vector<double>{9}, 1), 3.0, 1e-15);
}

TEST(ParetoStationarity, HasTheUnitOfTheGradients) {
  const std::vector<double> gram{2, 0.5, 0.5, 1};
  std::vector<double> scaled(gram);
  for (double& value : scaled) {
    value *= 1e-20;
  }
  EXPECT_NEAR(pareto_stationarity(scaled, 2) / pareto_stationarity(gram, 2), 1e-10, 1e-24);
}

TEST(ConflictAngle, IsTheAngleBetweenGradients) {
  const std::vector<double> gradients{1, 0, 0, 3, -2, 0, 1, std::sqrt(3.0), 0, 0};
  const auto gram = gram_of(gradients, 5);
  EXPECT_DOUBLE_EQ(conflict_angle(gram, 5, 0, 1), pi / 2);
  EXPECT_DOUBLE_EQ(conflict_angle(gram, 5, 0, 2), pi);
  EXPECT_DOUBLE_EQ(conflict_angle(gram, 5, 0, 3), pi / 3);
  EXPECT_DOUBLE_EQ(conflict_angle(gram, 5, 2, 3), 2 * pi / 3);
  EXPECT_DOUBLE_EQ(conflict_angle(gram, 5, 3, 2), 2 * pi / 3);
  EXPECT_EQ(conflict_angle(gram, 5, 1, 1), 0.0);
}

TEST(ConflictAngle, OfAVanishedGradientIsARightAngle) {
  EXPECT_DOUBLE_EQ(conflict_angle(std::vector<double>{0, 0, 0, 1}, 2, 0, 1), pi / 2);
  EXPECT_DOUBLE_EQ(conflict_angle(std::vector<double>{0, 0, 0, 1}, 2, 0, 0), pi / 2);
}

TEST(ConflictAngle, KeepsToItsRangeWhereRoundingBreaksCauchySchwarz) {
  EXPECT_EQ(conflict_angle(std::vector<double>{1, 1 + 1e-9, 1 + 1e-9, 1}, 2, 0, 1), 0.0);
  EXPECT_EQ(conflict_angle(std::vector<double>{1, -1 - 1e-9, -1 - 1e-9, 1}, 2, 0, 1), pi);
}

TEST(ConflictAngle, DoesNotDependOnTheGradientsLengths) {
  EXPECT_DOUBLE_EQ(conflict_angle(std::vector<double>{1e300, 0.5, 0.5, 1e-300}, 2, 0, 1), pi / 3);
}

TEST(ParetoMeasures, RefuseWhatIsNoGramMatrix) {
  EXPECT_THAT(
      [] {
        (void)pareto_stationarity(std::vector<double>{1, 0, 0}, 2);
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("gram: expected m x m values with m > 0, got 3 for m = 2")));
  EXPECT_THAT(
      [] { (void)pareto_stationarity({}, 0); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("gram: expected m x m values with m > 0, got 0")));
  EXPECT_THAT(
      [] {
        (void)conflict_angle(std::vector<double>{1, nan, nan, 1}, 2, 0, 1);
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("gram[0][1]: expected a finite inner product, got nan")));
  EXPECT_THAT(
      [] {
        (void)conflict_angle(std::vector<double>{1, 0, 0, -1}, 2, 0, 1);
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("gram[1][1]: expected a finite squared norm, not negative, got -1")));
  EXPECT_THAT(
      [] {
        (void)conflict_angle(std::vector<double>{1, 0, 0, 1}, 2, 0, 2);
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("objectives: expected indices below 2, got 0 and 2")));
}

}  // namespace
}  // namespace pair::moo::pareto_test

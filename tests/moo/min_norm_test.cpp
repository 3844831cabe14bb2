#include "pair/moo/min_norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "pair/moo/problem.h"
#include "tests/moo/problems.h"

namespace pair::moo::min_norm_test {
namespace {

using testing::Case;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using testing::ProblemSource;

MinNorm shortest_of(const std::vector<double>& gradients, std::size_t m) {
  return min_norm(gram_of(gradients, m), m);
}

// G (G^T w), from the gradients and not from their Gram matrix.
std::vector<double> improvements_of(const std::vector<double>& gradients,
                                    const std::vector<double>& weights) {
  const std::size_t m = weights.size();
  const std::size_t n = gradients.size() / m;
  std::vector<double> result(m, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    double direction = 0.0;
    for (std::size_t i = 0; i < m; ++i) {
      direction += weights[i] * gradients[i * n + k];
    }
    for (std::size_t i = 0; i < m; ++i) {
      result[i] += gradients[i * n + k] * direction;
    }
  }
  return result;
}

TEST(MinNorm, OfTwoGradientsIsTheFootOfThePerpendicular) {
  ProblemSource source(41, {1, 1, 1, 0});
  for (int k = 0; k < 200; ++k) {
    const Case problem = source.draw(2);
    const double a = problem.gram[0];
    const double b = problem.gram[1];
    const double c = problem.gram[3];
    const double share = std::clamp((c - b) / (a - 2 * b + c), 0.0, 1.0);
    EXPECT_NEAR(min_norm(problem.gram, 2).weights[0], share, 1e-12);
  }
}

TEST(MinNorm, OfOrthogonalGradientsWeighsByInverseSquares) {
  // Up to 1e24 apart: the weight of the longest is 1e-48, and not 0.
  const MinNorm shortest = min_norm(std::vector<double>{1e24, 0, 0, 0, 1.0, 0, 0, 0, 1e-24}, 3);
  EXPECT_DOUBLE_EQ(shortest.weights[0], 1e-48);
  EXPECT_DOUBLE_EQ(shortest.weights[1], 1e-24);
  EXPECT_DOUBLE_EQ(shortest.weights[2], 1.0);
  EXPECT_DOUBLE_EQ(shortest.squared_norm, 1e-24);
}

TEST(MinNorm, OfParallelGradientsIsTheShortestOne) {
  EXPECT_THAT(shortest_of({3, 6, 1, 2, 2, 4}, 3).weights, ElementsAre(0.0, 1.0, 0.0));
  EXPECT_DOUBLE_EQ(shortest_of({3, 6, 1, 2, 2, 4}, 3).squared_norm, 5.0);
}

TEST(MinNorm, OfOppositeGradientsIsZero) {
  const MinNorm shortest = shortest_of({3, 6, -1, -2}, 2);
  EXPECT_THAT(shortest.weights, ElementsAre(DoubleEq(0.25), DoubleEq(0.75)));
  EXPECT_LT(shortest.squared_norm, 1e-30);
}

TEST(MinNorm, OfARepeatedGradientIsThatGradient) {
  const std::vector<double> gradients = {1, 2, 1, 2, 1, 2};
  const MinNorm shortest = shortest_of(gradients, 3);
  EXPECT_DOUBLE_EQ(shortest.squared_norm, 5.0);
  // Repeating one of several changes the weights' split but not the direction.
  const MinNorm two = shortest_of({1, 2, 2, -1}, 2);
  const MinNorm three = shortest_of({1, 2, 2, -1, 1, 2}, 3);
  EXPECT_DOUBLE_EQ(two.squared_norm, three.squared_norm);
  EXPECT_DOUBLE_EQ(two.weights[1], three.weights[1]);
}

TEST(MinNorm, SharesTheWeightAmongVanishedGradients) {
  EXPECT_THAT(shortest_of({0, 0, 1, 2, 0, 0}, 3).weights, ElementsAre(0.5, 0.0, 0.5));
  EXPECT_THAT(shortest_of({0, 0, 0, 0}, 2).weights, ElementsAre(0.5, 0.5));
}

TEST(MinNorm, LowersEveryObjectiveWhereTheGradientsAreAtMost1e12Apart) {
  ProblemSource source(42);
  for (int k = 0; k < 300; ++k) {
    const std::size_t m = 2 + static_cast<std::size_t>(k % 7);
    const std::size_t n = m + 2;
    // All within a quarter of a right angle of a common direction, so that one exists; norms up to 1e12
    // apart.
    std::vector<double> gradients(m * n);
    for (std::size_t i = 0; i < m; ++i) {
      const double norm = source.decades(12);
      for (std::size_t j = 0; j < n; ++j) {
        gradients[i * n + j] = norm * ((j == 0 ? 3.0 : 0.0) + 0.5 * source.normal() / std::sqrt(n));
      }
    }
    const MinNorm shortest = shortest_of(gradients, m);
    for (const double improvement : improvements_of(gradients, shortest.weights)) {
      EXPECT_GT(improvement, 0.0);
    }
  }
}

TEST(MinNorm, SatisfiesTheOptimalityConditionsForDependentGradients) {
  ProblemSource source(43);
  for (int k = 0; k < 500; ++k) {
    const std::size_t m = 2 + static_cast<std::size_t>(k % 8);
    const std::size_t n = 1 + static_cast<std::size_t>(k % 3);
    const bool integers = k % 2 == 0;
    std::vector<double> gradients(m * n);
    for (double& value : gradients) {
      value = integers ? std::floor(7 * source.uniform()) - 3 : source.normal() * source.decades(6);
    }
    const std::vector<double> gram = gram_of(gradients, m);
    const MinNorm shortest = min_norm(gram, m);
    double reach = 0.0;  // sum_j x_j |g_j|
    for (std::size_t j = 0; j < m; ++j) {
      EXPECT_GE(shortest.weights[j], 0.0);
      reach += shortest.weights[j] * std::sqrt(gram[j * m + j]);
    }
    for (std::size_t i = 0; i < m; ++i) {
      double product = 0.0;
      for (std::size_t j = 0; j < m; ++j) {
        product += gram[i * m + j] * shortest.weights[j];
      }
      const double rounding = 1e-14 * reach * std::sqrt(gram[i * m + i]);
      EXPECT_GE(product, shortest.squared_norm - rounding);
    }
  }
}

TEST(MinNorm, IgnoresTheUnitOfTheGradients) {
  ProblemSource source(44, {1, 12, 1, 0});
  for (int k = 0; k < 100; ++k) {
    const Case problem = source.draw(4);
    std::vector<double> scaled = problem.gram;
    for (double& value : scaled) {
      value *= 0x1p-60;
    }
    const MinNorm one = min_norm(problem.gram, 4);
    const MinNorm other = min_norm(scaled, 4);
    EXPECT_EQ(one.weights, other.weights);
    EXPECT_EQ(one.squared_norm * 0x1p-60, other.squared_norm);
  }
}

}  // namespace
}  // namespace pair::moo::min_norm_test

#include "pair/moo/preference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "tests/moo/problems.h"

namespace pair::moo::preference_test {
namespace {

using testing::Case;
using testing::ProblemSource;

// The stance needs no gradients.
Stance stance_of(const std::vector<double>& losses, const std::vector<double>& preference) {
  return moo::stance_of(Problem{losses, {}, preference});
}

TEST(Divergence, IsZeroOnThePreferredRay) {
  EXPECT_EQ(stance_of({1.0, 2.0, 0.5}, {2.0, 1.0, 4.0}).divergence, 0.0);
  EXPECT_NEAR(stance_of({0.1, 0.7, 0.3}, {1 / 0.1, 1 / 0.7, 1 / 0.3}).divergence, 0.0, 1e-15);
}

TEST(Divergence, IsTheLogarithmOfTheNumberOfObjectivesWhereOneHasAllTheLoss) {
  EXPECT_DOUBLE_EQ(stance_of({1.0, 0.0, 0.0, 0.0}, {1.0, 1.0, 1.0, 1.0}).divergence, std::log(4.0));
}

TEST(Divergence, IsTheRelativeEntropyToEqualShares) {
  // Shares 1/4 and 3/4.
  const Stance stance = stance_of({1.0, 1.0}, {1.0, 3.0});
  EXPECT_DOUBLE_EQ(stance.divergence, 0.25 * std::log(0.5) + 0.75 * std::log(1.5));
  EXPECT_DOUBLE_EQ(stance.normalised[0], 0.25);
  EXPECT_DOUBLE_EQ(stance.preference[1], 0.75);
}

TEST(Adjustment, IsThatOfThePaper) {
  const Stance stance = stance_of({1.0, 1.0}, {1.0, 3.0});
  EXPECT_DOUBLE_EQ(stance.adjustment[0], 0.25 * (std::log(0.5) - stance.divergence));
  EXPECT_DOUBLE_EQ(stance.adjustment[1], 0.75 * (std::log(1.5) - stance.divergence));
}

TEST(Adjustment, IsPerpendicularToTheLosses) {
  // Hence moving against g_b changes the direction of the losses and not, to first order, their size.
  ProblemSource source(61, {6, 0, 16, 0.3});
  for (int k = 0; k < 200; ++k) {
    const Case problem = source.draw(2 + static_cast<std::size_t>(k % 6));
    const Stance stance = moo::stance_of(problem.view());
    double product = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < problem.size(); ++i) {
      product += stance.adjustment[i] * problem.losses[i];
      size += std::abs(stance.adjustment[i] * problem.losses[i]) + stance.preference[i] * problem.losses[i];
    }
    EXPECT_NEAR(product, 0.0, 1e-14 * size);
  }
}

TEST(Adjustment, StaysFiniteWhereALossVanishes) {
  const Stance stance = stance_of({0.0, 1.0, 5e-324}, {1.0, 1.0, 1e-16});
  for (const double value : stance.adjustment) {
    EXPECT_TRUE(std::isfinite(value));
  }
  EXPECT_LT(stance.adjustment[0], 0.0);
  EXPECT_GE(stance.adjustment[1], 0.0);
}

TEST(Stance, DoesNotChangeByABitWhenLossesOrPreferenceAreScaledByPowersOfTwo) {
  ProblemSource source(62, {12, 0, 16, 0.3});
  for (int k = 0; k < 200; ++k) {
    Case problem = source.draw(4);
    const Stance before = moo::stance_of(problem.view());
    for (std::size_t i = 0; i < 4; ++i) {
      problem.losses[i] *= 0x1p-700;
      problem.preference[i] *= 0x1p500;
    }
    const Stance after = moo::stance_of(problem.view());
    EXPECT_EQ(before.divergence, after.divergence);
    EXPECT_EQ(before.adjustment, after.adjustment);
    EXPECT_EQ(before.normalised, after.normalised);
  }
}

TEST(MostViolated, IsTheLargestWeightedLoss) {
  const Stance stance = stance_of({1.0, 2.0, 3.0}, {1.0, 10.0, 1.0});
  EXPECT_FALSE(stance.most_violated(0));
  EXPECT_TRUE(stance.most_violated(1));
  EXPECT_FALSE(stance.most_violated(2));
}

TEST(MostViolated, AreAllThatTieUpToRounding) {
  // 0.1 * 3 and 0.3 * 1 differ in the last bit.
  ASSERT_NE(0.1 * 3.0, 0.3 * 1.0);
  const Stance tied = stance_of({0.1, 0.3, 0.2}, {3.0, 1.0, 1.0});
  EXPECT_TRUE(tied.most_violated(0));
  EXPECT_TRUE(tied.most_violated(1));
  EXPECT_FALSE(tied.most_violated(2));
  // A difference beyond rounding is not a tie.
  EXPECT_FALSE(stance_of({1.0, 1.0 - 1e-14}, {1.0, 1.0}).most_violated(1));
}

}  // namespace
}  // namespace pair::moo::preference_test

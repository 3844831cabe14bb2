#include "pair/data/random.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace pair::data::random_test {
namespace {

TEST(Random, OfTheSameSeedAndStreamRepeats) {
  Random a(7, "data");
  Random b(7, "data");
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(a.bits(), b.bits());
  }
}

TEST(Random, OfAnotherSeedOrStreamDiffers) {
  const std::uint64_t first = Random(7, "data").bits();
  EXPECT_NE(Random(8, "data").bits(), first);
  EXPECT_NE(Random(7, "model").bits(), first);
  EXPECT_NE(Random(7 + (std::uint64_t{1} << 32U), "data").bits(), first) << "the seed's upper half counts";
}

TEST(Random, DrawsTheSameOnEveryMachine) {
  Random random(0, "data");
  EXPECT_EQ(random.bits(), 6167802104006818424U);
  EXPECT_EQ(random.bits(), 13077235110882721050U);
  EXPECT_EQ(Random(1, "cmnist/order").permutation(8), (std::vector<std::int64_t>{2, 3, 7, 6, 4, 0, 5, 1}));
}

TEST(Random, UniformLiesInItsRangeWithTheRightMoments) {
  Random random(1, "uniform");
  constexpr int n = 100'000;
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    squares += u * u;
    const double v = random.uniform(-3.0, 5.0);
    ASSERT_GE(v, -3.0);
    ASSERT_LT(v, 5.0);
  }
  EXPECT_NEAR(sum / n, 1.0 / 2.0, 5.0 * std::sqrt(1.0 / 12.0 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3.0, 5.0 * std::sqrt(4.0 / 45.0 / n));
}

TEST(Random, BernoulliHitsItsProbability) {
  Random random(2, "bernoulli");
  constexpr int n = 100'000;
  int hits = 0;
  for (int i = 0; i < n; ++i) {
    hits += random.bernoulli(0.3) ? 1 : 0;
    ASSERT_FALSE(random.bernoulli(0.0));
    ASSERT_TRUE(random.bernoulli(1.0));
  }
  EXPECT_NEAR(hits / double{n}, 0.3, 5.0 * std::sqrt(0.21 / n));
}

TEST(Random, BelowIsEvenOverItsRange) {
  Random random(3, "below");
  constexpr int n = 70'000;
  std::array<int, 7> counts{};
  for (int i = 0; i < n; ++i) {
    ++counts.at(random.below(7));
    ASSERT_EQ(random.below(1), 0U);
  }
  double chi_square = 0.0;
  for (const int count : counts) {
    chi_square += (count - n / 7.0) * (count - n / 7.0) / (n / 7.0);
  }
  EXPECT_LT(chi_square, 27.9);  // six degrees of freedom: passed by 9,999 of 10,000 good generators
}

TEST(Random, BelowIsEvenForBoundsThatDoNotDivideTwoToThe64) {
  // With a plain remainder the lower half of this range would come up twice as often as the upper.
  Random random(4, "below");
  const std::uint64_t bound = (std::uint64_t{3} << 62U);
  constexpr int n = 40'000;
  int lower = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t draw = random.below(bound);
    ASSERT_LT(draw, bound);
    lower += draw < bound / 2 ? 1 : 0;
  }
  EXPECT_NEAR(lower / double{n}, 0.5, 5.0 * std::sqrt(0.25 / n));
}

TEST(Random, NormalHasTheStandardMoments) {
  Random random(5, "normal");
  constexpr int n = 200'000;
  std::array<double, 5> moments{};
  for (int i = 0; i < n; ++i) {
    const double z = random.normal();
    for (std::size_t power = 1; power < moments.size(); ++power) {
      moments.at(power) += std::pow(z, static_cast<double>(power)) / n;
    }
  }
  const double scale = 5.0 / std::sqrt(double{n});
  EXPECT_NEAR(moments[1], 0.0, scale);
  EXPECT_NEAR(moments[2], 1.0, scale * std::sqrt(2.0));
  EXPECT_NEAR(moments[3], 0.0, scale * std::sqrt(15.0));
  EXPECT_NEAR(moments[4], 3.0, scale * std::sqrt(96.0));
}

TEST(Random, PermutationHoldsEachNumberOnceAndEveryOrderComesUp) {
  std::vector<std::int64_t> order = Random(6, "order").permutation(1000);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_EQ(order[i], static_cast<std::int64_t>(i));
  }
  EXPECT_TRUE(Random(6, "order").permutation(0).empty());

  Random random(7, "order");
  std::array<int, 6> counts{};
  constexpr int n = 12'000;
  for (int i = 0; i < n; ++i) {
    const std::vector<std::int64_t> three = random.permutation(3);
    ++counts.at(static_cast<std::size_t>(2 * three[0] + (three[1] > three[2] ? 1 : 0)));
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, n / 6.0, 5.0 * std::sqrt(n * 5.0 / 36.0));
  }
}

TEST(Random, ContinuesFromARestoredState) {
  Random random(8, "state");
  random.normal();
  const std::string state = random.state();
  const std::uint64_t next = random.bits();
  Random other(9, "elsewhere");
  other.restore(state);
  EXPECT_EQ(other.bits(), next);
}

TEST(Random, RefusesAStateItDidNotWrite) {
  Random random(10, "state");
  const std::string good = random.state();
  for (const std::string& bad :
       {std::string(), std::string("12 34"), good.substr(0, good.size() / 2), good + " x"}) {
    EXPECT_THROW(random.restore(bad), std::invalid_argument) << bad.substr(0, 20);
  }
  EXPECT_EQ(random.state(), good) << "a refused state changes nothing";
}

}  // namespace
}  // namespace pair::data::random_test

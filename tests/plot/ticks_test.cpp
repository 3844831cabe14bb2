#include "pair/plot/ticks.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "pair/data/random.h"

namespace pair::plot::ticks_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> labels(const Ticks& ticks) {
  std::vector<std::string> result;
  for (const Tick& tick : ticks.major) {
    result.push_back(tick.label);
  }
  return result;
}

// The number that a label represents.
double read(std::string label, int exponent) {
  if (label.starts_with("−")) {
    label.replace(0, std::string("−").size(), "-");
  }
  return std::stod(label) * std::pow(10.0, exponent);
}

TEST(Ticks, AreRoundNumbers) {
  EXPECT_THAT(labels(linear_ticks(0, 1, 6)), ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(labels(linear_ticks(-7, 12, 5)), ElementsAre("−5", "0", "5", "10"));
  EXPECT_THAT(labels(linear_ticks(0, 501, 6)), ElementsAre("0", "100", "200", "300", "400", "500"));
  EXPECT_THAT(labels(linear_ticks(0.25, 0.75, 3)), ElementsAre("0.4", "0.6"));
}

TEST(Ticks, ShareAnExponentWhereValuesAreFarFromOne) {
  const Ticks large = linear_ticks(0, 3e7, 4), small = linear_ticks(0, 2.5e-6, 4);
  EXPECT_EQ(large.exponent, 7);
  EXPECT_THAT(labels(large), ElementsAre("0", "1", "2", "3"));
  EXPECT_EQ(small.exponent, -6);
  EXPECT_THAT(labels(small), ElementsAre("0", "1", "2"));
}

TEST(Ticks, LieInTheRangeRiseAndAreAsTheirLabelsSay) {
  data::Random random(1, "plot");
  for (int i = 0; i < 20'000; ++i) {
    const double size = std::pow(10.0, 40 * random.uniform() - 20);
    const double low = size * (2 * random.uniform() - 1);
    const double high = low + size * std::pow(10.0, -6 * random.uniform());
    const std::size_t most = 2 + i % 9;
    const Ticks ticks = linear_ticks(low, high, most);
    ASSERT_LE(ticks.major.size(), most);
    const double step = (high - low) / static_cast<double>(most);
    std::set<std::string> seen;
    for (std::size_t j = 0; j < ticks.major.size(); ++j) {
      const Tick& tick = ticks.major[j];
      ASSERT_TRUE(tick.value >= low && tick.value <= high) << low << ' ' << high;
      ASSERT_TRUE(j == 0 || tick.value > ticks.major[j - 1].value);
      ASSERT_NEAR(read(tick.label, ticks.exponent), tick.value, 1e-6 * step) << low << ' ' << high;
      ASSERT_TRUE(seen.insert(tick.label).second) << tick.label << " twice";
    }
    // The next closer spacing would be at least 2/5 of this one: few ranges go without two ticks.
    ASSERT_GE(ticks.major.size() + 1, most / 3) << low << ' ' << high << ' ' << most;
  }
}

TEST(Ticks, OfALogarithmicAxisArePowersOfTen) {
  const Ticks few = log_ticks(0.05, 200, 8);
  EXPECT_THAT(labels(few), ElementsAre("0.1", "1", "10", "100"));
  EXPECT_EQ(few.minor.front(), 0.05);
  EXPECT_EQ(few.minor.back(), 200);
  EXPECT_THAT(labels(log_ticks(1e-8, 1, 9)),
              ElementsAre("10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"));
  EXPECT_THAT(labels(log_ticks(1e-12, 1e12, 6)), ElementsAre("10⁻¹⁰", "10⁻⁵", "10⁰", "10⁵", "10¹⁰"));
}

TEST(Ticks, OfLessThanADecadeAreLinear) {
  EXPECT_THAT(labels(log_ticks(2, 6, 5)), ElementsAre("2", "3", "4", "5", "6"));
  EXPECT_THAT(log_ticks(2, 6, 5).minor, IsEmpty());
}

TEST(Ticks, OfLogarithmicAxesLieInTheRangeAndAreFew) {
  data::Random random(2, "plot");
  for (int i = 0; i < 20'000; ++i) {
    const double low = std::pow(10.0, 500 * random.uniform() - 250);
    const double high = low * std::pow(10.0, 0.01 + 40 * random.uniform() * random.uniform());
    const std::size_t most = 2 + i % 9;
    const Ticks ticks = log_ticks(low, high, most);
    ASSERT_LE(ticks.major.size(), most) << low << ' ' << high;
    for (const Tick& tick : ticks.major) {
      ASSERT_TRUE(tick.value >= low && tick.value <= high) << low << ' ' << high;
    }
    ASSERT_TRUE(std::is_sorted(ticks.minor.begin(), ticks.minor.end()));
  }
}

TEST(Readable, HasFourDigitsAtMost) {
  EXPECT_EQ(readable(0), "0");
  EXPECT_EQ(readable(-0.0), "0");
  EXPECT_EQ(readable(69.1), "69.1");
  EXPECT_EQ(readable(0.99996), "1");
  EXPECT_EQ(readable(-12.3456), "−12.35");
  EXPECT_EQ(readable(99999.9), "10⁵");
  EXPECT_EQ(readable(1.25e-7), "1.25×10⁻⁷");
  EXPECT_EQ(readable(1e10), "10¹⁰");
  EXPECT_EQ(readable(NAN), "NaN");
  EXPECT_EQ(readable(-INFINITY), "−∞");
}

}  // namespace
}  // namespace pair::plot::ticks_test

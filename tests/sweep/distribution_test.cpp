#include "pair/sweep/distribution.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>

namespace pair::sweep::distribution_test {
namespace {

using base::Choice;
using base::Distribution;
using base::Fixed;
using base::LogUniform;
using base::LogUniforms;
using base::Uniform;

constexpr int draws = 2000;

TEST(Distribution, UniformFillsItsRange) {
  data::Random random(0, "test");
  double low = 1.0;
  double high = 0.0;
  double sum = 0.0;
  for (int i = 0; i < draws; ++i) {
    const double value = std::stod(draw(Uniform{0.90, 0.99}, random));
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
  EXPECT_GE(low, 0.90);
  EXPECT_LE(high, 0.99);
  EXPECT_LT(low, 0.901);
  EXPECT_GT(high, 0.989);
  EXPECT_NEAR(sum / draws, 0.945, 0.002);
}

TEST(Distribution, LogUniformIsUniformInTheExponent) {
  data::Random random(0, "test");
  int below_the_middle = 0;
  for (int i = 0; i < draws; ++i) {
    const double exponent = std::log10(std::stod(draw(LogUniform{10, -1, 5}, random)));
    EXPECT_GE(exponent, -1.0 - 1e-5);
    EXPECT_LE(exponent, 5.0 + 1e-5);
    below_the_middle += exponent < 2.0 ? 1 : 0;
  }
  EXPECT_NEAR(below_the_middle, draws / 2.0, 100);
}

TEST(Distribution, WholeNumbersAreCutDownAndNotRounded) {
  data::Random random(0, "test");
  std::map<int, int> seen;
  for (int i = 0; i < draws; ++i) {
    const std::string text = draw(LogUniform{2, 0, 3, true}, random);
    EXPECT_EQ(text.find_first_not_of("0123456789"), std::string::npos) << text;
    ++seen[std::stoi(text)];
  }
  EXPECT_EQ(seen.begin()->first, 1);
  EXPECT_EQ(seen.rbegin()->first, 7);
  // 1 stands for [1, 2), which is a third of the exponents.
  EXPECT_NEAR(seen[1], draws / 3.0, 80);
}

TEST(Distribution, ChoiceTakesEachAsOften) {
  data::Random random(0, "test");
  std::map<std::string, int> seen;
  for (int i = 0; i < draws; ++i) {
    ++seen[draw(Choice{{"0", "0.1", "1,1e4"}}, random)];
  }
  ASSERT_EQ(seen.size(), 3U);
  for (const auto& [value, count] : seen) {
    EXPECT_NEAR(count, draws / 3.0, 80) << value;
  }
}

TEST(Distribution, NumbersHaveSixDigits) {
  data::Random random(3, "test");
  for (int i = 0; i < 100; ++i) {
    const std::string text = draw(Uniform{1, 2}, random);
    EXPECT_LE(text.size(), 7U) << text;
  }
}

TEST(Distribution, IsDescribedAsText) {
  EXPECT_EQ(as_text(Fixed{"0"}), "0");
  EXPECT_EQ(as_text(Uniform{0, 5000, true}), "whole part of Uniform(0, 5000)");
  EXPECT_EQ(as_text(LogUniform{10, -4.5, -2.5}), "10^Uniform(-4.5, -2.5)");
  EXPECT_EQ(as_text(LogUniform{2, 3, 9, true}), "whole part of 2^Uniform(3, 9)");
  EXPECT_EQ(as_text(Choice{{"0.1", "0.2"}}), "one of 0.1, 0.2");
  EXPECT_EQ(as_text(Choice{{"1,2", "1,3"}}), "one of (1,2), (1,3)");
}

TEST(Distribution, OfAListDrawsEachNumberByItself) {
  data::Random random(3, "test");
  const Distribution list = LogUniforms{{{10, 0, 1}, {10, 4, 5}}};
  const std::string drawn = draw(list, random);
  const std::size_t comma = drawn.find(',');
  ASSERT_NE(comma, std::string::npos) << drawn;
  const double first = std::stod(drawn.substr(0, comma));
  const double second = std::stod(drawn.substr(comma + 1));
  EXPECT_TRUE(first >= 1 && first <= 10) << drawn;
  EXPECT_TRUE(second >= 1e4 && second <= 1e5) << drawn;
  EXPECT_NE(second, first * 1e4) << "two draws, not one";
  EXPECT_EQ(as_text(list), "10^Uniform(0, 1) and 10^Uniform(4, 5)");
}

}  // namespace
}  // namespace pair::sweep::distribution_test

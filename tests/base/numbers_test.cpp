#include "pair/base/numbers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace pair::base::numbers_test {
namespace {

TEST(Numbers, AreShownWithTheFewestDigits) {
  EXPECT_EQ(shown(0.1), "0.1");
  EXPECT_EQ(shown(-2.0), "-2");
  EXPECT_EQ(shown(1e-100), "1e-100");
  EXPECT_EQ(shown(1.0 / 3.0), "0.3333333333333333");
  EXPECT_EQ(shown(0.0), "0");
}

TEST(Numbers, WithoutAValueAreNamed) {
  EXPECT_EQ(shown(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(shown(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(shown(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(Numbers, ReadBackAsTheSameValue) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (std::isfinite(value)) {
      EXPECT_EQ(std::stod("0" + shown(std::abs(value) + 1.0)), std::abs(value) + 1.0);
    }
  }
  // The longest there is.
  EXPECT_EQ(shown(-std::numeric_limits<double>::max()), "-1.7976931348623157e+308");
}

TEST(Numbers, AreCutToSignificantDigits) {
  EXPECT_EQ(with_digits(1.0 / 3.0), "0.333333");
  EXPECT_EQ(with_digits(2.0), "2");
  EXPECT_EQ(with_digits(123456789.0), "1.23457e+08");
  EXPECT_EQ(with_digits(1e-7), "1e-07");
  EXPECT_EQ(with_digits(1.0 / 3.0, 3), "0.333");
  EXPECT_EQ(with_digits(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(with_digits(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Numbers, HaveAsManyDecimalsAsRequested) {
  EXPECT_EQ(with_decimals(71.44, 1), "71.4");
  EXPECT_EQ(with_decimals(-0.01, 1), "-0.0");
  EXPECT_EQ(with_decimals(2.5, 0), "2");
  EXPECT_EQ(with_decimals(std::numeric_limits<double>::max(), 1).size(), 311U);
}

TEST(Numbers, HaveAPowerOfTenIfRequested) {
  EXPECT_EQ(with_exponent(1.234e-5, 1), "1.2e-05");
  EXPECT_EQ(with_exponent(-4321.0, 2), "-4.32e+03");
  EXPECT_EQ(with_exponent(0.0, 1), "0.0e+00");
}

TEST(Numbers, AreShownWithTheirDeviation) {
  EXPECT_EQ(with_deviation(68.51, 0.96, 1), "68.5 +- 1.0");
  EXPECT_EQ(with_deviation(-0.5, 0.25, 3), "-0.500 +- 0.250");
}

TEST(Numbers, AreReadFromAWholeText) {
  EXPECT_EQ(number_from<int>("-12"), -12);
  EXPECT_EQ(number_from<int>("007"), 7);
  EXPECT_EQ(number_from<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(number_from<double>("1e-3"), 0.001);
  EXPECT_EQ(number_from<double>("-inf"), -std::numeric_limits<double>::infinity());
}

TEST(Numbers, AreNotReadFromATextWithAnythingElse) {
  for (const char* const text :
       {"", " ", "x", " 1", "1 ", "1x", "1,2", "+1", "-", "--1", "0x10", "2147483648", "-2147483649"}) {
    EXPECT_EQ(number_from<int>(text), std::nullopt) << "'" << text << "'";
  }
  EXPECT_EQ(number_from<int>("1.0"), std::nullopt);
  EXPECT_EQ(number_from<std::uint8_t>("-1"), std::nullopt);
  EXPECT_EQ(number_from<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(number_from<double>("1e999"), std::nullopt);
  EXPECT_EQ(number_from<double>("+1.5"), std::nullopt);
  EXPECT_EQ(number_from<double>("1.5 "), std::nullopt);
  EXPECT_EQ(number_from<int>(std::string_view("12", 1)), 1) << "only the text given";
}

TEST(Numbers, AreRoundedToSixDigits) {
  EXPECT_EQ(rounded(1.0 / 3.0), 0.333333);
  EXPECT_EQ(rounded(-123456789.0), -123457000.0);
  EXPECT_EQ(rounded(0.1), 0.1);
  EXPECT_EQ(rounded(std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(rounded(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace pair::base::numbers_test

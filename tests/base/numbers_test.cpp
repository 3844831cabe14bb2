#include "pair/base/numbers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

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

}  // namespace
}  // namespace pair::base::numbers_test

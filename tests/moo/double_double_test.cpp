#include "pair/moo/double_double.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "pair/moo/integer.h"

namespace pair::moo::double_double_test {
namespace {

// All values here are multiples of 2^-500.
Integer exactly(double value) {
  return {value, 500};
}

Integer exactly(DoubleDouble value) {
  return exactly(value.hi) + exactly(value.lo);
}

class DoubleDoubleTest : public ::testing::Test {
 protected:
  double draw() {
    return std::ldexp(std::uniform_real_distribution<>(-1.0, 1.0)(engine),
                      std::uniform_int_distribution<>(-60, 60)(engine));
  }
  DoubleDouble draw_both() { return DoubleDouble(draw()) + std::ldexp(draw(), -110); }

  std::mt19937_64 engine{1};
};

TEST_F(DoubleDoubleTest, SumsAndProductsOfTwoDoublesAreExact) {
  for (int k = 0; k < 10000; ++k) {
    const double a = draw();
    const double b = draw();
    EXPECT_EQ(exactly(DoubleDouble(a) + b), exactly(a) + exactly(b));
    EXPECT_EQ(exactly(DoubleDouble(a) - b), exactly(a) - exactly(b));
    EXPECT_EQ(exactly(DoubleDouble(a) * b) * exactly(1.0), exactly(a) * exactly(b));
  }
}

TEST_F(DoubleDoubleTest, OperationsKeepThirtyDigits) {
  for (int k = 0; k < 10000; ++k) {
    const DoubleDouble a = draw_both();
    const DoubleDouble b = draw_both();
    const Integer product_error = exactly(a * b) * exactly(1.0) - exactly(a) * exactly(b);
    const auto relative = [](const Integer& error, const Integer& size) {
      const auto [fraction, exponent] = quotient(error, size);
      return std::abs(std::ldexp(fraction.hi, exponent));
    };
    EXPECT_LE(relative(product_error, exactly(a) * exactly(b)), 0x1p-100);
    EXPECT_LE(relative(exactly((a / b) * b) - exactly(a), exactly(a)), 0x1p-98);
    const Integer sum = exactly(a) + exactly(b);
    EXPECT_LE(relative(exactly(a + b) - sum, sum), 0x1p-100);
  }
}

TEST_F(DoubleDoubleTest, WhatIsLeftWhenLeadingDigitsCancelIsKept) {
  const DoubleDouble one_and_a_bit = DoubleDouble(1.0) + 0x1p-100;
  EXPECT_EQ((one_and_a_bit - 1.0).value(), 0x1p-100);
  const double third = 1.0 / 3.0;
  EXPECT_EQ((DoubleDouble(third) * 3.0 - 1.0).value(), std::fma(third, 3.0, -1.0));
}

TEST_F(DoubleDoubleTest, IsOrderedByItsValue) {
  const DoubleDouble one = 1.0;
  const DoubleDouble more = one + 0x1p-90;
  EXPECT_LT(one, more);
  EXPECT_GT(more, one);
  EXPECT_FALSE(one < one);
  EXPECT_EQ(more - 0x1p-90, one);
  EXPECT_LT(-more, -one);
}

}  // namespace
}  // namespace pair::moo::double_double_test

#include "pair/moo/integer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace pair::moo::integer_test {
namespace {

__extension__ using Wide = __int128;

Integer integer(std::int64_t value) {
  const auto low = static_cast<double>(value & 0xffffffff);
  return Integer(static_cast<double>(value >> 32), 32) + Integer(low, 0);
}

Integer integer(Wide value) {
  return integer(static_cast<std::int64_t>(value >> 62)) * Integer(1.0, 62) +
         integer(static_cast<std::int64_t>(value & ((Wide{1} << 62) - 1)));
}

class IntegerTest : public ::testing::Test {
 protected:
  // Integers of all sizes, including zero and the edges of limbs.
  std::int64_t draw() {
    const auto bits = std::uniform_int_distribution<>(0, 62)(engine);
    const auto value = static_cast<std::int64_t>(engine() & ((std::uint64_t{1} << bits) - 1));
    const std::int64_t edge = engine() % 8 == 0 ? (std::int64_t{1} << (bits / 2)) - 1 : value;
    return engine() % 2 == 0 ? edge : -edge;
  }
  Integer draw_large(int factors) {
    Integer result(1.0, 0);
    for (int k = 0; k < factors; ++k) {
      result = result * integer(draw() | 1) + integer(draw());
    }
    return result;
  }

  std::mt19937_64 engine{1};
};

TEST_F(IntegerTest, AgreesWithTheProcessorWhereBothCanCount) {
  for (int k = 0; k < 20000; ++k) {
    const std::int64_t a = draw();
    const std::int64_t b = draw();
    EXPECT_EQ(integer(a) + integer(b), integer(Wide{a} + b));
    EXPECT_EQ(integer(a) - integer(b), integer(Wide{a} - b));
    EXPECT_EQ(integer(a) * integer(b), integer(Wide{a} * b));
    EXPECT_EQ(integer(a) < integer(b), a < b);
    EXPECT_EQ(integer(a).sign(), (a > 0 ? 1 : 0) - (a < 0 ? 1 : 0));
    EXPECT_EQ(-integer(a), integer(-Wide{a}));
  }
}

TEST_F(IntegerTest, KeepsTheLawsOfArithmeticAtAnySize) {
  for (int k = 0; k < 300; ++k) {
    const Integer a = draw_large(k % 12);
    const Integer b = draw_large(k % 7);
    const Integer c = draw_large(k % 5);
    EXPECT_EQ((a + b) * (a - b), a * a - b * b);
    EXPECT_EQ(a * (b + c), a * b + a * c);
    EXPECT_EQ((a - a).sign(), 0);
    EXPECT_EQ(a - a, Integer());
  }
}

TEST_F(IntegerTest, DividesWithoutRest) {
  for (int k = 0; k < 2000; ++k) {
    const Integer a = draw_large(k % 12);
    // Even divisors too, by any number of bits.
    const Integer b = draw_large(k % 7) * Integer(1.0, k % 100);
    if (b.sign() != 0) {
      EXPECT_EQ(exact_quotient(a * b, b), a);
      EXPECT_EQ(exact_quotient(b, b), Integer(1.0, 0));
      EXPECT_EQ(exact_quotient(Integer(), b), Integer());
    }
  }
}

TEST_F(IntegerTest, TakesEveryDouble) {
  EXPECT_EQ(Integer(0.75, 2), integer(std::int64_t{3}));
  EXPECT_EQ(Integer(-5e-324, 1074), integer(std::int64_t{-1}));
  EXPECT_EQ(Integer(std::numeric_limits<double>::max(), 0), Integer(1.0, 1024) - Integer(1.0, 1024 - 53));
  EXPECT_EQ(Integer(0.0, -2000), Integer());
}

TEST_F(IntegerTest, QuotientsHaveThirtyDigits) {
  for (int k = 0; k < 1000; ++k) {
    const Integer a = draw_large(1 + k % 12);
    const Integer b = draw_large(1 + k % 7);
    if (a.sign() == 0 || b.sign() == 0) {
      continue;
    }
    const auto [fraction, exponent] = quotient(a, b);
    // a = b * fraction * 2^exponent, with everything brought to integers.
    const Integer rounded = (Integer(fraction.hi, 300) + Integer(fraction.lo, 300)) * b;
    const Integer exact = exponent < 0 ? a * Integer(1.0, 300 - exponent) : a * Integer(1.0, 300);
    const Integer scaled = exponent < 0 ? rounded : rounded * Integer(1.0, exponent);
    const auto error = quotient(scaled - exact, exact);
    EXPECT_LE(std::abs(std::ldexp(error.fraction.hi, error.exponent)), 0x1p-95);
  }
}

}  // namespace
}  // namespace pair::moo::integer_test

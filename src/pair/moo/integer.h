#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "pair/moo/double_double.h"

// Integers of any size, with the operations needed for pivoting without rounding (exact_dictionary.h).

namespace pair::moo {

class Integer {
 public:
  Integer() = default;  // 0
  // value * 2^exponent, which must be an integer.
  Integer(double value, int exponent);

  // -1, 0 or 1.
  [[nodiscard]] int sign() const { return limbs_.empty() ? 0 : (negative_ ? -1 : 1); }
  [[nodiscard]] Integer operator-() const;
  friend Integer operator+(const Integer& a, const Integer& b);
  friend Integer operator-(const Integer& a, const Integer& b) { return a + -b; }
  friend Integer operator*(const Integer& a, const Integer& b);
  friend bool operator==(const Integer& a, const Integer& b) = default;
  friend std::strong_ordering operator<=>(const Integer& a, const Integer& b) { return (a - b).sign() <=> 0; }

  // a / b where b divides a.
  friend Integer exact_quotient(const Integer& a, const Integer& b);
  // a / b to 30 digits, as a fraction times a power of two, since the quotient may exceed the range of
  // doubles.
  struct Quotient {
    DoubleDouble fraction;  // 0, or of a size near 1
    int exponent = 0;
  };
  friend Quotient quotient(const Integer& a, const Integer& b);

 private:
  void drop_leading_zeros();

  std::vector<std::uint32_t> limbs_;  // the absolute value, least significant first, no leading zeros
  bool negative_ = false;             // never for 0
};

}  // namespace pair::moo

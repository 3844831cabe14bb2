#pragma once

#include <cmath>

// Arithmetic on unevaluated sums of two doubles (about 32 digits).
//
// Why not plain doubles: the linear and quadratic programs of this folder are small but can be very badly
// scaled (gradient norms that differ by 1e12 give Gram entries that differ by 1e24), and a feasible set may
// be a single point. Thirty-two digits leave sixteen after the cancellation of sixteen-digit input, at about
// twenty times the cost of a double operation, still nanoseconds. __float128 would do the same at ten times
// that cost; long double adds only eleven bits.
//
// The algorithms are the classical error-free transformations (Dekker 1971, Knuth TAOCP 4.2.2). They rely
// on IEEE rounding: this folder is compiled without -ffast-math and with -ffp-contract=off.

namespace pair::moo {

struct DoubleDouble {
  double hi = 0.0;
  double lo = 0.0;

  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double value) : hi(value) {}  // NOLINT(google-explicit-constructor)
  constexpr DoubleDouble(double high, double low) : hi(high), lo(low) {}

  [[nodiscard]] constexpr double value() const { return hi + lo; }
};

namespace detail {

// hi + lo == a + b exactly, for any a and b.
constexpr DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// The same if |a| >= |b|.
constexpr DoubleDouble quick_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// hi + lo == a * b exactly, except for underflow and |a|, |b| above 1e300.
inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
#ifdef __FMA__
  return {product, std::fma(a, b, -product)};
#else
  constexpr double splitter = 134217729.0;  // 2^27 + 1
  const double a_scaled = splitter * a;
  const double a_hi = a_scaled - (a_scaled - a);
  const double a_lo = a - a_hi;
  const double b_scaled = splitter * b;
  const double b_hi = b_scaled - (b_scaled - b);
  const double b_lo = b - b_hi;
  return {product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
#endif
}

}  // namespace detail

constexpr DoubleDouble operator-(DoubleDouble a) {
  return {-a.hi, -a.lo};
}

constexpr DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  DoubleDouble high = detail::two_sum(a.hi, b.hi);
  const DoubleDouble low = detail::two_sum(a.lo, b.lo);
  high = detail::quick_two_sum(high.hi, high.lo + low.hi);
  return detail::quick_two_sum(high.hi, high.lo + low.lo);
}

constexpr DoubleDouble operator-(DoubleDouble a, DoubleDouble b) {
  return a + (-b);
}

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = detail::two_product(a.hi, b.hi);
  return detail::quick_two_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.hi / b.hi;
  DoubleDouble rest = a - b * first;
  const double second = rest.hi / b.hi;
  rest = rest - b * second;
  const double third = rest.hi / b.hi;
  return detail::quick_two_sum(first, second) + third;
}

constexpr bool operator<(DoubleDouble a, DoubleDouble b) {
  return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}
constexpr bool operator>(DoubleDouble a, DoubleDouble b) {
  return b < a;
}
constexpr bool operator==(DoubleDouble a, DoubleDouble b) {
  return a.hi == b.hi && a.lo == b.lo;
}

}  // namespace pair::moo

#include "pair/moo/integer.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace pair::moo {
namespace {

using Limbs = std::vector<std::uint32_t>;
constexpr int limb_bits = 32;

bool less(const Limbs& a, const Limbs& b) {
  return a.size() != b.size() ? a.size() < b.size()
                              : std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

Limbs sum(const Limbs& a, const Limbs& b) {
  Limbs result(std::max(a.size(), b.size()) + 1);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    carry += (i < a.size() ? a[i] : 0ULL) + (i < b.size() ? b[i] : 0ULL);
    result[i] = static_cast<std::uint32_t>(carry);
    carry >>= limb_bits;
  }
  return result;
}

// a - b, where a >= b.
Limbs difference(Limbs a, const Limbs& b) {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint64_t take = (i < b.size() ? b[i] : 0ULL) + borrow;
    borrow = a[i] < take ? 1 : 0;
    a[i] -= static_cast<std::uint32_t>(take);
  }
  return a;
}

void shift_right(Limbs& limbs, int bits) {
  const auto whole = static_cast<std::size_t>(bits / limb_bits);
  const int rest = bits % limb_bits;
  limbs.erase(limbs.begin(), limbs.begin() + static_cast<std::ptrdiff_t>(whole));
  for (std::size_t i = 0; rest > 0 && i < limbs.size(); ++i) {
    const std::uint64_t above = i + 1 < limbs.size() ? limbs[i + 1] : 0;
    limbs[i] = static_cast<std::uint32_t>(((above << limb_bits) | limbs[i]) >> rest);
  }
}

int trailing_zero_bits(const Limbs& limbs) {
  const auto first = std::find_if(limbs.begin(), limbs.end(), [](std::uint32_t limb) { return limb != 0; });
  return static_cast<int>(first - limbs.begin()) * limb_bits + std::countr_zero(*first);
}

// The inverse of an odd number modulo 2^32, by Newton's method.
std::uint32_t inverse_of(std::uint32_t odd) {
  std::uint32_t inverse = odd;
  for (int i = 0; i < 5; ++i) {
    inverse *= 2U - odd * inverse;
  }
  return inverse;
}

// The leading 128 bits or so as a fraction near 1 times a power of two.
Integer::Quotient leading(const Limbs& limbs) {
  constexpr std::size_t enough = 5;
  Integer::Quotient result;
  const std::size_t from = limbs.size() > enough ? limbs.size() - enough : 0;
  for (std::size_t i = from; i < limbs.size(); ++i) {
    const int place = static_cast<int>(i - limbs.size()) * limb_bits;
    result.fraction = DoubleDouble(std::ldexp(static_cast<double>(limbs[i]), place)) + result.fraction;
  }
  result.exponent = static_cast<int>(limbs.size()) * limb_bits;
  return result;
}

}  // namespace

Integer::Integer(double value, int exponent) : negative_(value < 0.0) {
  if (value == 0.0) {
    return;
  }
  int own = 0;
  const double fraction = std::frexp(std::abs(value), &own);
  auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  int shift = own - 53 + exponent;
  const int zeros = std::countr_zero(mantissa);
  mantissa >>= zeros;
  shift += zeros;
  assert(shift >= 0);
  limbs_.assign(static_cast<std::size_t>(shift / limb_bits), 0);
  const int rest = shift % limb_bits;
  const std::uint64_t low = (mantissa & 0xffffffffU) << rest;
  const std::uint64_t high = ((mantissa >> limb_bits) << rest) + (low >> limb_bits);
  limbs_.push_back(static_cast<std::uint32_t>(low));
  limbs_.push_back(static_cast<std::uint32_t>(high));
  limbs_.push_back(static_cast<std::uint32_t>(high >> limb_bits));
  drop_leading_zeros();
}

void Integer::drop_leading_zeros() {
  while (!limbs_.empty() && limbs_.back() == 0) {
    limbs_.pop_back();
  }
  negative_ = negative_ && !limbs_.empty();
}

Integer Integer::operator-() const {
  Integer result = *this;
  result.negative_ = !negative_ && !limbs_.empty();
  return result;
}

Integer operator+(const Integer& a, const Integer& b) {
  Integer result;
  if (a.negative_ == b.negative_) {
    result.limbs_ = sum(a.limbs_, b.limbs_);
    result.negative_ = a.negative_;
  } else {
    const bool a_smaller = less(a.limbs_, b.limbs_);
    result.limbs_ = a_smaller ? difference(b.limbs_, a.limbs_) : difference(a.limbs_, b.limbs_);
    result.negative_ = a_smaller ? b.negative_ : a.negative_;
  }
  result.drop_leading_zeros();
  return result;
}

Integer operator*(const Integer& a, const Integer& b) {
  Integer result;
  result.negative_ = a.negative_ != b.negative_;
  result.limbs_.assign(a.limbs_.size() + b.limbs_.size(), 0);
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.limbs_.size(); ++j) {
      carry += std::uint64_t{a.limbs_[i]} * b.limbs_[j] + result.limbs_[i + j];
      result.limbs_[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= limb_bits;
    }
    result.limbs_[i + b.limbs_.size()] = static_cast<std::uint32_t>(carry);
  }
  result.drop_leading_zeros();
  return result;
}

// From the least significant limb up (Jebelean 1993): each limb of the quotient is read off modulo 2^32,
// which needs an odd divisor and no trial.
Integer exact_quotient(const Integer& a, const Integer& b) {
  assert(b.sign() != 0);
  Integer result;
  if (a.sign() == 0) {
    return result;
  }
  Limbs rest = a.limbs_;
  Limbs divisor = b.limbs_;
  const int zeros = trailing_zero_bits(divisor);
  shift_right(rest, zeros);
  shift_right(divisor, zeros);
  while (divisor.back() == 0) {
    divisor.pop_back();
  }
  const std::uint32_t inverse = inverse_of(divisor.front());
  const std::size_t length = rest.size() - divisor.size() + 1;
  result.limbs_.resize(length);
  for (std::size_t i = 0; i < length; ++i) {
    const std::uint32_t digit = rest[i] * inverse;
    result.limbs_[i] = digit;
    std::uint64_t carry = 0;
    for (std::size_t j = 0; i + j < rest.size() && (j < divisor.size() || carry != 0); ++j) {
      const std::uint64_t take = carry + (j < divisor.size() ? std::uint64_t{digit} * divisor[j] : 0);
      const auto low = static_cast<std::uint32_t>(take);
      carry = (take >> limb_bits) + (rest[i + j] < low ? 1 : 0);
      rest[i + j] -= low;
    }
  }
  result.negative_ = a.negative_ != b.negative_;
  result.drop_leading_zeros();
  return result;
}

Integer::Quotient quotient(const Integer& a, const Integer& b) {
  assert(b.sign() != 0);
  Integer::Quotient numerator = leading(a.limbs_);
  const Integer::Quotient denominator = leading(b.limbs_);
  if (a.negative_ != b.negative_) {
    numerator.fraction = -numerator.fraction;
  }
  return {numerator.fraction / denominator.fraction, numerator.exponent - denominator.exponent};
}

}  // namespace pair::moo

#include "pair/moo/exact_dictionary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pair::moo {
namespace {

// The exponent of the least significant bit of a value that is not 0.
int lowest_bit(double value) {
  int exponent = 0;
  double fraction = std::frexp(value, &exponent);
  while (fraction != std::trunc(fraction)) {
    fraction *= 2.0;
    --exponent;
  }
  return exponent;
}

}  // namespace

ExactDictionary::ExactDictionary(const Dictionary& start)
    : basic_(start.rows()),
      nonbasic_(start.columns()),
      entries_(start.rows() * start.columns()),
      denominator_(1.0, 0) {
  std::size_t variables = 0;
  for (std::size_t column = 0; column < columns(); ++column) {
    nonbasic_[column] = start.nonbasic(column);
    variables = std::max(variables, nonbasic_[column] + 1);
  }
  for (std::size_t row = 0; row < rows(); ++row) {
    basic_[row] = start.basic(row);
    variables = std::max(variables, basic_[row] + 1);
  }
  exponents_.assign(variables, 0);
  for (std::size_t row = 0; row < rows(); ++row) {
    int lowest = std::numeric_limits<int>::max();
    for (std::size_t column = 0; column < columns(); ++column) {
      for (const double part : {start.at(row, column).hi, start.at(row, column).lo}) {
        lowest = part == 0.0 ? lowest : std::min(lowest, lowest_bit(part));
      }
    }
    const int exponent = lowest == std::numeric_limits<int>::max() ? 0 : -lowest;
    exponents_[basic_[row]] = exponent;
    for (std::size_t column = 0; column < columns(); ++column) {
      const DoubleDouble value = start.at(row, column);
      entries_[row * columns() + column] = Integer(value.hi, exponent) + Integer(value.lo, exponent);
    }
  }
}

std::size_t ExactDictionary::column_of(std::size_t variable) const {
  return static_cast<std::size_t>(std::find(nonbasic_.begin(), nonbasic_.end(), variable) -
                                  nonbasic_.begin());
}

std::strong_ordering ExactDictionary::compare_ratios(std::size_t row, std::size_t other, std::size_t column,
                                                     std::size_t divisor_column) const {
  const Integer& divisor = entry(row, divisor_column);
  const Integer& other_divisor = entry(other, divisor_column);
  const Integer left = entry(row, column) * other_divisor;
  const Integer right = entry(other, column) * divisor;
  return divisor.sign() == other_divisor.sign() ? left <=> right : right <=> left;
}

DoubleDouble ExactDictionary::at(std::size_t row, std::size_t column) const {
  const auto [fraction, exponent] = quotient(entry(row, column), denominator_);
  const int total = exponent + exponents_[nonbasic_[column]] - exponents_[basic_[row]];
  return {std::ldexp(fraction.hi, total), std::ldexp(fraction.lo, total)};
}

void ExactDictionary::pivot(std::size_t row, std::size_t column) {
  const std::size_t width = columns();
  Integer* const pivot_row = &entries_[row * width];
  const Integer pivot = pivot_row[column];
  const bool flipped = pivot.sign() < 0;
  for (std::size_t r = 0; r < rows(); ++r) {
    Integer* const other = &entries_[r * width];
    if (r == row) {
      continue;
    }
    const Integer factor = other[column];
    for (std::size_t c = 0; c < width; ++c) {
      if (c != column) {
        other[c] = exact_quotient(other[c] * pivot - factor * pivot_row[c], denominator_);
      }
      if (flipped) {
        other[c] = -other[c];
      }
    }
  }
  for (std::size_t c = 0; c < width; ++c) {
    if (c == column) {
      pivot_row[c] = flipped ? -denominator_ : denominator_;
    } else if (!flipped) {
      pivot_row[c] = -pivot_row[c];
    }
  }
  denominator_ = flipped ? -pivot : pivot;
  std::swap(basic_[row], nonbasic_[column]);
}

}  // namespace pair::moo

#include "pair/moo/dictionary.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pair::moo {
namespace {

// The relative rounding error of an operation. This is the only tolerance of the pivoting methods, and it is
// independent of scale. The arithmetic itself loses 2^-104 per operation; the margin accounts for their
// number, since estimates keep the largest error and not the sum. It is far below 2^-53, which double input
// leaves when its leading digits cancel.
constexpr double negligible = 0x1p-90;

int exponent_to_unit(double largest) {
  return largest > 0.0 ? -std::ilogb(largest) : 0;
}

}  // namespace

std::size_t Dictionary::column_of(std::size_t variable) const {
  return static_cast<std::size_t>(std::find(nonbasic_.begin(), nonbasic_.end(), variable) -
                                  nonbasic_.begin());
}

bool Dictionary::accurate(std::size_t row, std::size_t column) const {
  // `negligible` overestimates the loss by 2^14.
  return rounding_[row * columns() + column] <= 0x1p-42 * std::abs(at(row, column).hi);
}

std::partial_ordering Dictionary::compare_ratios(std::size_t row, std::size_t other, std::size_t column,
                                                 std::size_t divisor_column) const {
  const DoubleDouble ratio = at(row, column) / at(row, divisor_column);
  const DoubleDouble other_ratio = at(other, column) / at(other, divisor_column);
  return ratio.hi == other_ratio.hi ? ratio.lo <=> other_ratio.lo : ratio.hi <=> other_ratio.hi;
}

void Dictionary::pivot(std::size_t row, std::size_t column) {
  const std::size_t width = columns();
  DoubleDouble* const pivot_row = &entries_[row * width];
  double* const pivot_rounding = &rounding_[row * width];
  const DoubleDouble inverse = DoubleDouble(1.0) / pivot_row[column];
  const double size = std::abs(inverse.hi);
  const double doubt = std::max(pivot_rounding[column] * size, negligible);
  for (std::size_t c = 0; c < width; ++c) {
    pivot_row[c] = c == column ? inverse : -(pivot_row[c] * inverse);
    pivot_rounding[c] =
        std::max(c == column ? 0.0 : pivot_rounding[c] * size, std::abs(pivot_row[c].hi) * doubt);
  }
  for (std::size_t r = 0; r < rows(); ++r) {
    DoubleDouble* const other = &entries_[r * width];
    double* const rounding = &rounding_[r * width];
    const DoubleDouble factor = other[column];
    if (r == row || (factor.hi == 0.0 && rounding[column] == 0.0)) {
      continue;
    }
    const double factor_size = std::abs(factor.hi);
    const double factor_rounding = std::max(rounding[column], factor_size * negligible);
    for (std::size_t c = 0; c < width; ++c) {
      const DoubleDouble product = factor * pivot_row[c];
      const double lost =
          std::max(factor_size * pivot_rounding[c], std::abs(pivot_row[c].hi) * factor_rounding);
      if (c == column) {
        other[c] = product;
        rounding[c] = lost;
        continue;
      }
      const double before = std::abs(other[c].hi);
      other[c] = other[c] + product;
      rounding[c] = std::max(rounding[c], lost);
      if (std::abs(other[c].hi) <= (small() ? rounding[c] : negligible * before)) {
        other[c] = {};
      }
    }
  }
  std::swap(basic_[row], nonbasic_[column]);
}

void Dictionary::scale(std::size_t row, std::size_t column, double power_of_two) {
  DoubleDouble& entry = entries_[row * columns() + column];
  entry = {entry.hi * power_of_two, entry.lo * power_of_two};
  rounding_[row * columns() + column] *= power_of_two;
}

int Dictionary::equilibrate_row(std::size_t row) {
  double largest = 0.0;
  for (std::size_t column = 0; column < columns(); ++column) {
    largest = std::max(largest, std::abs(at(row, column).hi));
  }
  const int exponent = exponent_to_unit(largest);
  for (std::size_t column = 0; column < columns(); ++column) {
    scale(row, column, std::ldexp(1.0, exponent));
  }
  return exponent;
}

int Dictionary::equilibrate_column(std::size_t column, std::size_t rows_considered) {
  double largest = 0.0;
  for (std::size_t row = 0; row < rows_considered; ++row) {
    largest = std::max(largest, std::abs(at(row, column).hi));
  }
  const int exponent = exponent_to_unit(largest);
  for (std::size_t row = 0; row < rows(); ++row) {
    scale(row, column, std::ldexp(1.0, exponent));
  }
  return exponent;
}

}  // namespace pair::moo

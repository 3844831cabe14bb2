#include "pair/moo/dictionary.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pair::moo {
namespace {

int exponent_to_unit(double largest) {
  return largest > 0.0 ? -std::ilogb(largest) : 0;
}

void scale(DoubleDouble& entry, double power_of_two) {
  entry = {entry.hi * power_of_two, entry.lo * power_of_two};
}

}  // namespace

std::size_t Dictionary::column_of(std::size_t variable) const {
  return static_cast<std::size_t>(std::find(nonbasic_.begin(), nonbasic_.end(), variable) -
                                  nonbasic_.begin());
}

void Dictionary::pivot(std::size_t row, std::size_t column) {
  DoubleDouble* const pivot_row = &at(row, 0);
  const DoubleDouble inverse = DoubleDouble(1.0) / pivot_row[column];
  for (std::size_t c = 0; c < columns_; ++c) {
    pivot_row[c] = c == column ? inverse : -(pivot_row[c] * inverse);
  }
  for (std::size_t r = 0; r < rows(); ++r) {
    DoubleDouble* const other = &at(r, 0);
    const DoubleDouble factor = other[column];
    if (r == row || factor.hi == 0.0) {
      continue;
    }
    for (std::size_t c = 0; c < columns_; ++c) {
      other[c] = c == column ? factor * inverse : eliminate(other[c], -factor, pivot_row[c]);
    }
  }
  std::swap(basic_[row], nonbasic_[column]);
}

int Dictionary::equilibrate_row(std::size_t row) {
  double largest = 0.0;
  for (std::size_t column = 0; column < columns_; ++column) {
    largest = std::max(largest, std::abs(at(row, column).hi));
  }
  const int exponent = exponent_to_unit(largest);
  const double factor = std::ldexp(1.0, exponent);
  for (std::size_t column = 0; column < columns_; ++column) {
    scale(at(row, column), factor);
  }
  return exponent;
}

int Dictionary::equilibrate_column(std::size_t column, std::size_t rows_considered) {
  double largest = 0.0;
  for (std::size_t row = 0; row < rows_considered; ++row) {
    largest = std::max(largest, std::abs(at(row, column).hi));
  }
  const int exponent = exponent_to_unit(largest);
  const double factor = std::ldexp(1.0, exponent);
  for (std::size_t row = 0; row < rows(); ++row) {
    scale(at(row, column), factor);
  }
  return exponent;
}

}  // namespace pair::moo

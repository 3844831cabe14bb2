#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "pair/moo/dictionary.h"
#include "pair/moo/integer.h"

// The table of dictionary.h without rounding, for the decisions that 32 digits leave open: where gradients
// are dependent, a few pivots leave of the table nothing but the rounding of the input, and whether a program
// is feasible may hang on a determinant of that.
//
// Every entry is an integer over one common denominator. A pivot divides by the denominator before it, and
// that division leaves no rest (Edmonds 1967, Bareiss 1968). The integers grow by the digits of the input
// with every pivot: a solve takes some ten microseconds for three objectives and milliseconds for ten.

namespace pair::moo {

class ExactDictionary {
 public:
  // The same table, of a dictionary that has not been pivoted.
  explicit ExactDictionary(const Dictionary& start);

  [[nodiscard]] std::size_t rows() const { return basic_.size(); }
  [[nodiscard]] std::size_t columns() const { return nonbasic_.size(); }
  [[nodiscard]] std::size_t basic(std::size_t row) const { return basic_[row]; }
  [[nodiscard]] std::size_t nonbasic(std::size_t column) const { return nonbasic_[column]; }
  [[nodiscard]] std::size_t column_of(std::size_t variable) const;

  [[nodiscard]] int sign(std::size_t row, std::size_t column) const { return entry(row, column).sign(); }
  // How entry / divisor of one row compares with that of another, both in the same two columns and with
  // divisors that are not 0.
  [[nodiscard]] std::strong_ordering compare_ratios(std::size_t row, std::size_t other, std::size_t column,
                                                    std::size_t divisor_column) const;
  // The entry to 30 digits.
  [[nodiscard]] DoubleDouble at(std::size_t row, std::size_t column) const;

  void pivot(std::size_t row, std::size_t column);

 private:
  [[nodiscard]] const Integer& entry(std::size_t row, std::size_t column) const {
    return entries_[row * columns() + column];
  }

  std::vector<std::size_t> basic_;
  std::vector<std::size_t> nonbasic_;
  std::vector<Integer> entries_;
  Integer denominator_;  // positive
  // Powers of two that made the rows integral: variable v of the table is v * 2^exponents_[v] of the start's.
  std::vector<int> exponents_;
};

}  // namespace pair::moo

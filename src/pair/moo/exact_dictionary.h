#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "pair/moo/dictionary.h"
#include "pair/moo/integer.h"

// The table of dictionary.h without rounding, for decisions that 32 digits leave open: if gradients are
// dependent, after a few pivots the table holds only the rounding errors of the input, and the feasibility of
// a program may depend on a determinant of those.
//
// Every entry is an integer over one common denominator. A pivot divides by the previous denominator, without
// remainder (Edmonds 1967, Bareiss 1968). The integers grow by the digits of the input with every pivot: a
// solve takes about ten microseconds for three objectives and milliseconds for ten.

namespace pair::moo {

class ExactDictionary {
 public:
  // From a dictionary that has not been pivoted.
  explicit ExactDictionary(const Dictionary& start);

  [[nodiscard]] std::size_t rows() const { return basic_.size(); }
  [[nodiscard]] std::size_t columns() const { return nonbasic_.size(); }
  [[nodiscard]] std::size_t basic(std::size_t row) const { return basic_[row]; }
  [[nodiscard]] std::size_t nonbasic(std::size_t column) const { return nonbasic_[column]; }
  [[nodiscard]] std::size_t column_of(std::size_t variable) const;

  [[nodiscard]] int sign(std::size_t row, std::size_t column) const { return entry(row, column).sign(); }
  // Compares entry / divisor of one row with that of another, in the same two columns, with nonzero divisors.
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

#pragma once

#include <cmath>
#include <compare>
#include <cstddef>
#include <vector>

#include "pair/moo/double_double.h"

// The table of pivoting methods: each basic variable as a combination of the nonbasic ones,
//
//     basic(row) = sum over columns of at(row, column) * nonbasic(column).
//
// A constant is the column of a variable that is known to be 1.
//
// Every entry has an estimate of its rounding error: the largest that went into it. An entry below its
// estimate may have any small value, most likely zero, since dependent gradients leave exact zeros.

namespace pair::moo {

class Dictionary {
 public:
  // Entries start at zero, variables at 0.
  Dictionary(std::size_t rows, std::size_t columns)
      : entries_(rows * columns), rounding_(rows * columns), basic_(rows), nonbasic_(columns) {}

  [[nodiscard]] std::size_t rows() const { return basic_.size(); }
  [[nodiscard]] std::size_t columns() const { return nonbasic_.size(); }
  // Whether the table is small enough for computation without rounding (exact_dictionary.h) in a few
  // milliseconds. In small tables, an entry below its rounding estimate counts as zero. In larger ones, the
  // estimates grow too large over hundreds of pivots, and only entries that cancel in one step count as zero.
  [[nodiscard]] bool small() const { return columns() <= 20; }
  [[nodiscard]] DoubleDouble at(std::size_t row, std::size_t column) const {
    return entries_[row * columns() + column];
  }
  [[nodiscard]] int sign(std::size_t row, std::size_t column) const {
    const double high = at(row, column).hi;
    return (high > 0.0 ? 1 : 0) - (high < 0.0 ? 1 : 0);
  }
  // Whether the sign of the true entry is certain.
  [[nodiscard]] bool certain(std::size_t row, std::size_t column) const {
    const double rounding = rounding_[row * columns() + column];
    return rounding == 0.0 || std::abs(at(row, column).hi) > rounding;
  }
  // Whether the entry is accurate to the last bits of a double.
  [[nodiscard]] bool accurate(std::size_t row, std::size_t column) const;

  // Compares at(row, column) / at(row, divisor_column) with the same ratio of another row.
  [[nodiscard]] std::partial_ordering compare_ratios(std::size_t row, std::size_t other, std::size_t column,
                                                     std::size_t divisor_column) const;

  [[nodiscard]] std::size_t basic(std::size_t row) const { return basic_[row]; }
  [[nodiscard]] std::size_t nonbasic(std::size_t column) const { return nonbasic_[column]; }
  // The column of a nonbasic variable.
  [[nodiscard]] std::size_t column_of(std::size_t variable) const;

  // Set-up. Values that are set have no rounding error.
  void set(std::size_t row, std::size_t column, DoubleDouble value) {
    entries_[row * columns() + column] = value;
  }
  void set_basic(std::size_t row, std::size_t variable) { basic_[row] = variable; }
  void set_nonbasic(std::size_t column, std::size_t variable) { nonbasic_[column] = variable; }
  // Multiplies a row (a column) by a power of two that brings its largest entry into [1, 2), and returns the
  // exponent; 0 for a row of zeros. Exact.
  int equilibrate_row(std::size_t row);
  int equilibrate_column(std::size_t column, std::size_t rows_considered);

  // Exchanges the basic variable of a row with the nonbasic one of a column; at(row, column) must not be 0.
  void pivot(std::size_t row, std::size_t column);

 private:
  void scale(std::size_t row, std::size_t column, double power_of_two);

  std::vector<DoubleDouble> entries_;
  std::vector<double> rounding_;
  std::vector<std::size_t> basic_;
  std::vector<std::size_t> nonbasic_;
};

}  // namespace pair::moo

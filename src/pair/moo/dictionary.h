#pragma once

#include <cstddef>
#include <vector>

#include "pair/moo/double_double.h"

// The table that pivoting methods work on: each basic variable as a combination of the nonbasic ones,
//
//     basic(row) = sum over columns of at(row, column) * nonbasic(column).
//
// A constant is the column of a variable that is known to be 1.

namespace pair::moo {

class Dictionary {
 public:
  // Entries start at zero, variables at 0.
  Dictionary(std::size_t rows, std::size_t columns)
      : columns_(columns), entries_(rows * columns), basic_(rows), nonbasic_(columns) {}

  [[nodiscard]] DoubleDouble& at(std::size_t row, std::size_t column) {
    return entries_[row * columns_ + column];
  }
  [[nodiscard]] std::size_t rows() const { return basic_.size(); }
  [[nodiscard]] std::size_t columns() const { return columns_; }

  [[nodiscard]] std::size_t basic(std::size_t row) const { return basic_[row]; }
  [[nodiscard]] std::size_t nonbasic(std::size_t column) const { return nonbasic_[column]; }
  void set_basic(std::size_t row, std::size_t variable) { basic_[row] = variable; }
  void set_nonbasic(std::size_t column, std::size_t variable) { nonbasic_[column] = variable; }
  // Where a nonbasic variable stands; it must be one.
  [[nodiscard]] std::size_t column_of(std::size_t variable) const;

  // Exchanges the basic variable of a row with the nonbasic one of a column; at(row, column) must not be 0.
  void pivot(std::size_t row, std::size_t column);

  // Multiplies a row (a column) by a power of two that brings its largest entry into [1, 2), and returns
  // the exponent of that power; 0 for one of zeros. Exact.
  int equilibrate_row(std::size_t row);
  int equilibrate_column(std::size_t column, std::size_t rows_considered);

 private:
  std::size_t columns_;
  std::vector<DoubleDouble> entries_;
  std::vector<std::size_t> basic_;
  std::vector<std::size_t> nonbasic_;
};

}  // namespace pair::moo

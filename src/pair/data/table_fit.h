#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pair/data/table.h"
#include "pair/data/table_encoding.h"

// Fits the encoding of a table's columns and of its label (table_encoding.h) to the training rows, and refuses
// columns and labels that a model cannot be trained on.

namespace pair::data {

// The encoding of a feature's column, fitted on those rows. Throws std::invalid_argument if the numbers are
// so large or so close that their mean or deviation is not finite or 0.
ColumnEncoding fit_column(const Column& column, std::span<const std::size_t> rows);
// Whether the column is the same in all of those rows (at least one).
bool is_constant(const Column& column, std::span<const std::size_t> rows);
// Throws std::invalid_argument, with a hint to leave the column out, for a column of dates and for one that
// has another text in more than half of the rows (more than 20 texts), such as names.
void check_feature(const Column& column, const std::string& file);

// A label as a number: the class's index, or the number standardised. One per row of the table.
struct Labels {
  LabelEncoding encoding;
  std::vector<float> values = {};
  [[nodiscard]] std::size_t classes() const { return encoding.classes.size(); }
};

enum class TaskChoice { found, classification, regression };

// Numbers that are at most 20 different integers are classes, other numbers are a regression, and texts are
// classes, unless the choice says otherwise. Mean and deviation are those of `rows`. Throws
// std::invalid_argument for a missing label, texts as a regression, one class alone, and labels of a
// regression that are all the same.
Labels fit_labels(const Column& column, TaskChoice choice, std::span<const std::size_t> rows,
                  const std::string& file);

}  // namespace pair::data

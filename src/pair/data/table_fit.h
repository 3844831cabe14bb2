#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pair/data/table.h"
#include "pair/data/table_encoding.h"

// Fits the encoding of a table's columns and of its label (table_encoding.h) to the training rows, and
// refuses columns and labels that a model cannot be trained on.

namespace pair::data {

// The encoding of a feature's column, fitted on those rows. Throws std::invalid_argument if the numbers are
// so large or so close that their mean or deviation is not finite or 0.
ColumnEncoding fit_column(const Column& column, std::span<const std::size_t> rows);
// Whether the column is the same in all of those rows (at least one).
bool is_constant(const Column& column, std::span<const std::size_t> rows);

// Why a model cannot be trained on a column of inputs.
struct ColumnFault {
  std::string column;
  std::string sentence;   // "column 'day': expected numbers or categories, got dates such as '2021-03-04'"
  bool leave_out = true;  // whether it is better left out than corrected; the sentence says what to correct
};

// A column has a fault if it is the same in all of the rows (at least one), has dates, has more than
// most_categories different texts, or has more than 20 different texts and more than half as many as rows,
// such as names. Empty otherwise.
std::optional<ColumnFault> fault_of(const Column& column, std::span<const std::size_t> rows,
                                    std::size_t most_categories);

// The faults of the columns as one sentence, with the option that leaves out those columns and the ones that
// are left out already. Of more than 5 faults, the others are counted. No faults give an empty text.
std::string sentence_of(const std::vector<ColumnFault>& faults, std::vector<std::string> ignored);

// A warning about a column of categories in which at least nine of ten cells that are not missing are
// numbers, in some form (number_form): "column 'age': 399 of 400 cells are numbers; line 32 has 'unknown', so
// it is a column of categories (an empty cell is a missing number)". Empty for other columns.
std::string numbers_warning(const Column& column);

// A label as a number: the class's index, or the number standardised. One per row of the table.
struct Labels {
  LabelEncoding encoding;
  std::vector<float> values = {};
  std::vector<std::string> warnings = {};  // a sentence each
  [[nodiscard]] std::size_t classes() const { return encoding.classes.size(); }
};

enum class TaskChoice {
  found,           // by the label
  classification,  // the user's choice
  regression,      // the user's choice
  classes_only     // of a dataset that has no other task, so that messages suggest none
};

// Numbers that are at most 20 different integers are classes, other numbers are a regression, and texts are
// classes, unless the choice says otherwise. Mean and deviation are those of `rows`. Throws
// std::invalid_argument for a missing label, texts as a regression, one class alone, more than 1000 numbers as
// classes, and labels of a regression that are all the same.
//
// More than 20 classes that are more than half as many as the rows may be names or numbers of another form. If
// the task was found, they are refused; with classes_only, they are if most rows have a class of their own. Other
// choices give a warning.
Labels fit_labels(const Column& column, TaskChoice choice, std::span<const std::size_t> rows,
                  const std::string& file);

}  // namespace pair::data

#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/table.h"

// How rows of a table become the inputs of a model, and labels its targets. Fitted on the training rows
// (table_fit.h), kept with the model as JSON, and applied to new rows.
//
//   a number    (x - mean) / deviation, with the training rows' mean and standard deviation (dividing by n).
//               Missing: 0, the mean. If the training rows have missing cells, one more input is 1 for a
//               missing cell and 0 otherwise.
//   a category  one input per category of the training rows, sorted: 1 for the row's own, 0 for the others.
//               If the training rows have missing cells, "missing" is one more category. A category that they
//               do not have is 0 in all inputs, and so is a missing cell if they have none.

namespace pair::data {

// A number as an input or as the target of a regression.
inline float standardised(double value, double mean, double deviation) {
  return static_cast<float>((value - mean) / deviation);
}

enum class TableTask { classification, regression };
std::string_view to_string(TableTask task);

struct ColumnEncoding {
  std::string name;
  ColumnKind kind = ColumnKind::number;
  double mean = 0.0;                         // of a number
  double deviation = 1.0;                    // of a number. Above 0
  std::vector<std::string> categories = {};  // of a category, sorted
  bool missing = false;                      // whether there is one more input, 1 for a missing cell

  [[nodiscard]] std::size_t width() const {
    return (kind == ColumnKind::number ? 1 : categories.size()) + (missing ? 1 : 0);
  }
  bool operator==(const ColumnEncoding&) const = default;
};

struct LabelEncoding {
  std::string name;  // the column's
  TableTask task = TableTask::classification;
  std::vector<std::string> classes = {};  // the text of each class; numbers in the order of their size
  // For a regression: the prediction is the model's output times deviation plus mean.
  double mean = 0.0;
  double deviation = 1.0;  // above 0

  bool operator==(const LabelEncoding&) const = default;
};

// Cells of new rows that the model knows little about, counted over rows of one or more files.
struct CellCounts {
  struct OfColumn {
    std::size_t missing = 0;
    // In a column of categories: with one that the training rows do not have, or missing if none of theirs is.
    std::size_t unknown = 0;
    std::string example = {};  // the first such category
  };
  std::size_t rows = 0;
  std::vector<OfColumn> columns = {};  // in the encoding's order; empty before the first row

  // Whether all cells of the column are missing. One row alone does not show a fault of its column.
  [[nodiscard]] bool lacks(std::size_t column) const { return rows > 1 && columns[column].missing == rows; }
};

struct TableEncoding {
  std::vector<ColumnEncoding> columns;  // in the order of the inputs
  LabelEncoding label;
  std::vector<std::string> environment = {};  // the columns that name a row's environment

  // Inputs of a row.
  [[nodiscard]] std::size_t width() const;
  // Their names, in order: "age", "age is missing", "sex=F", "sex is missing".
  [[nodiscard]] std::vector<std::string> input_names() const;

  // A row as inputs. cells: one text per column of `columns`, as a CSV file has it; inputs: width() numbers.
  // Adds the row to the counts, if there are any. Throws std::invalid_argument "column 'age': expected a
  // number or nothing, got 'x'".
  void encode(std::span<const std::string_view> cells, std::span<float> inputs,
              CellCounts* counts = nullptr) const;

  bool operator==(const TableEncoding&) const = default;
};

// Sentences about columns with unknown categories or without any value: "column 'sex': 2 of 3 cells have a
// category that the training rows do not have, such as 'X' (known: F, M)".
std::vector<std::string> warnings_about(const CellCounts& counts, const TableEncoding& encoding);

// Finds the columns of an encoding in files whose columns are in another order or more.
class RowEncoder {
 public:
  // The names of the file's columns. Throws std::invalid_argument that lists those that are missing.
  RowEncoder(TableEncoding encoding, std::span<const std::string_view> names);

  // A row's fields, as many as there were names. The rest is as in TableEncoding::encode.
  void encode(std::span<const std::string_view> fields, std::span<float> inputs,
              CellCounts* counts = nullptr);

  [[nodiscard]] const TableEncoding& encoding() const { return encoding_; }
  // The place of the label's column among the names, or npos.
  [[nodiscard]] std::size_t label_place() const { return label_place_; }
  // The places of the environment's columns; empty if one of them is missing.
  [[nodiscard]] const std::vector<std::size_t>& environment_places() const { return environment_places_; }

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

 private:
  TableEncoding encoding_;
  std::vector<std::size_t> places_;
  std::size_t label_place_ = npos;
  std::vector<std::size_t> environment_places_;
  std::vector<std::string_view> cells_;
};

// The column's inputs of some rows: row i of the rows goes to inputs[i * stride], width() numbers each.
void encode_column(const Column& column, const ColumnEncoding& encoding, std::span<const std::size_t> rows,
                   float* inputs, std::size_t stride);

nlohmann::json as_json(const TableEncoding& encoding);
// Throws std::invalid_argument that says what is expected, for what as_json does not write.
TableEncoding table_encoding_from(const nlohmann::json& json);

}  // namespace pair::data

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// A CSV file in memory, a column at a time, with the types of the columns found from their cells. The first
// row has the names. Spaces around names and cells are not part of them; cell.h says what is a number and
// what is missing.

namespace pair::data {

enum class ColumnKind { number, category };

inline constexpr std::uint32_t missing_category = std::numeric_limits<std::uint32_t>::max();

struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::number;
  std::size_t missing = 0;       // cells
  std::size_t missing_line = 0;  // the line of the first of them, from 1; 0 if there is none
  // number: one value per row; NaN: missing
  std::vector<double> numbers = {};
  // category: one index into `categories` per row, or missing_category
  std::vector<std::uint32_t> codes = {};
  std::vector<std::string> categories = {};  // in the order of their first rows
  // category, except for an environment: the first cell that is not a number (its beginning) and its line
  std::string text = {};
  std::size_t text_line = 0;
  // category: the line with one category more than TableReading::most_categories. The column of an input then
  // has no codes, and only the categories before that line. 0 if there are not that many.
  std::size_t full_line = 0;
};

struct Table {
  std::string name;  // the file's
  std::size_t rows = 0;
  std::size_t unnamed = 0;  // columns without a name, which are not kept
  std::vector<Column> columns = {};

  // Null if there is no column of that name.
  [[nodiscard]] const Column* find(std::string_view column) const;
};

struct TableReading {
  char separator = '\0';                 // as in CsvOptions
  std::vector<std::string> ignore = {};  // columns that are not kept
  std::vector<std::string> only = {};    // if not empty: only these are kept
  // The columns of a row's environment, which are categories even if all cells are numbers.
  std::vector<std::string> environment = {};
  std::string label = {};              // the column to predict. Errors about it give other advice
  std::size_t most_categories = 1000;  // of one column
  std::size_t most_cells = 1'000'000'000;
};

// A column is a number if every cell that is not missing is one, and a category otherwise. A file is read
// twice if a column of numbers turns out to be a category late. Memory: 8 bytes per number, 4 per category. A
// column without a name, such as the row numbers that pandas writes, is not kept.
//
// Throws std::invalid_argument with one sentence if the file is not as in csv.h; has no names or no rows; has
// a name twice; lacks a column to be left out or to be kept (the sentence lists the columns); has a number
// that is not finite; has a label or an environment with more than most_categories different texts; or has
// too many cells.
Table read_table(const std::filesystem::path& path, const TableReading& reading = {});

// The names of its columns, without those that have none, by its first row alone. Throws as above.
std::vector<std::string> read_column_names(const std::filesystem::path& path, char separator = '\0');

// "3 rows without, the first in line 12", about the column's missing cells.
std::string missing_rows(const Column& column);

// "'a', 'b' and 'c'", for sentences: at most `most` of them, then "and 7 more".
std::string quoted_names(const std::vector<std::string>& names, std::size_t most = 30);

// "; did you mean 'age'?", if one of the columns is near the name; otherwise nothing.
std::string suggested_column(const std::string& name, const std::vector<std::string>& columns);
// The named columns of a file's first row, without spaces around the names.
std::vector<std::string> named_columns(std::span<const std::string_view> fields);
// The place of a column among the fields of a file's first row. Throws std::invalid_argument "FILE: expected the
// column 'NAME' with CONTENT, got 'a' and 'b'" if it is not there.
std::size_t require_column(std::span<const std::string_view> fields, const std::string& name,
                           std::string_view content, const std::string& file);

// "--ignore 'patient id,date'": the option for these columns, quoted for a shell such as bash.
std::string ignore_option(const std::vector<std::string>& columns);
// "--text comment", quoted likewise.
std::string text_option(const std::string& column);

// "column 'age'", for sentences.
std::string named_column(const std::string& name);
// "label 'y'", for sentences.
std::string named_label(const std::string& name);

// Sorts names: by value if all are numbers, otherwise by their bytes.
void sort_names(std::vector<std::string>& names);

// Throws std::invalid_argument "WHAT: expected a column of FILE, which has ..., got 'NAME'" if the name is
// not one of the columns.
void check_column(std::string_view what, const std::string& name, const std::vector<std::string>& columns,
                  const std::string& file);

}  // namespace pair::data

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pair/base/options.h"
#include "pair/data/table.h"
#include "pair/data/table_fit.h"

// A user's own table as a dataset: which column is the label, which ones name the environment a row is from,
// and how rows are divided. prepared_table.h reads the file and divides its rows; table_data.cpp makes tensors
// of them.

namespace pair::data {

struct TableSpec {
  enum class Separator { found, comma, semicolon, tab };

  std::string file = {};   // a CSV file, gzipped or not. It has no default
  std::string label = {};  // the column to predict
  // The columns that name a row's environment. Several are combined: "St. Mary/2019". They are not inputs.
  std::vector<std::string> environment = {};
  std::vector<std::string> ignore = {};  // columns that are not used
  TaskChoice task = TaskChoice::found;
  // Environments to test on, by number from 0 in the order of their names (numbers by size). At least one,
  // none twice, and at least one is left to train on.
  std::vector<std::int64_t> test_envs = {0};
  double holdout = 0.2;                // share of each environment's rows that is held out
  std::int64_t max_categories = 1000;  // of one column. 2 to 100,000
  Separator separator = Separator::found;
  // Where not empty, the SHA-256 that the file must have: a run is not continued on other data.
  std::string file_sha256 = {};

  bool operator==(const TableSpec&) const = default;
};

void describe(base::Fields<TableSpec>& field);

// As in CsvOptions.
char separator_of(const TableSpec& spec);
// How the file is read.
TableReading reading_of(const TableSpec& spec);

// Checks that the first row of the file has the columns and that each is used once. Throws
// std::invalid_argument.
void validate(const TableSpec& spec);

}  // namespace pair::data

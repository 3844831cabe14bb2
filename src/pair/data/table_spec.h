#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pair/base/options.h"
#include "pair/data/table.h"
#include "pair/data/table_encoding.h"

// A user's own table as a dataset: which column is the label, which ones name the environment a row is from,
// and how rows are divided. table_data.cpp makes tensors of it.

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

// Checks that the first row of the file has the columns and that each is used once. Throws
// std::invalid_argument.
void validate(const TableSpec& spec);

// The environments in order. Reads the whole file, but keeps only their columns. Throws std::invalid_argument
// as read_table does, and if a row has none or there are fewer than 2 or more than 1000.
std::vector<std::string> environment_names(const TableSpec& spec);

// A table that is ready to be made tensors of.
struct PreparedTable {
  struct Part {  // of an environment
    std::string name;
    bool test = false;
    std::vector<std::size_t> in;   // rows that are trained on or, in a test environment, scored
    std::vector<std::size_t> out;  // rows that are held out, at least one
  };

  Table table;                            // the features' columns, in the order of encoding.columns
  TableEncoding encoding = {};            // fitted on the training environments' `in`
  std::vector<float> labels = {};         // one per row of the table
  std::vector<Part> environments = {};    // in order
  std::vector<std::string> notices = {};  // a sentence each
  std::string description = {};           // lines for people: what was found in the table
};

// Reads and divides the table. The seed decides which rows are held out. Throws std::invalid_argument with
// one sentence for what a model cannot be trained on.
PreparedTable prepare_table(const TableSpec& spec, std::uint64_t seed);

// The same for data whose inputs are not columns of numbers and categories: only the columns of label and
// environment are read. The result's table has rows but no columns, and its encoding has no inputs.
PreparedTable prepare_labels(const TableSpec& spec, std::uint64_t seed);

}  // namespace pair::data

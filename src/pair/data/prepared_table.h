#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pair/data/table.h"
#include "pair/data/table_encoding.h"
#include "pair/data/table_spec.h"

// A user's table divided into training and held-out rows of each environment, with labels and the encoding of
// its columns.

namespace pair::data {

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

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pair/data/table.h"
#include "pair/data/table_spec.h"

// Which environment each row of a table is from.

namespace pair::data {

// The environments in order, and each row's as an index into names.
struct RowEnvironments {
  std::vector<std::string> names;
  std::vector<std::uint32_t> of_row;
};

// Finds them by the columns that name a row's environment. Throws std::invalid_argument if a row has none, or
// if there are fewer than 2 or more than 1000 environments.
RowEnvironments environments_of_rows(const Table& table, const std::vector<std::string>& columns);

// The names of the environments, in order. Reads the whole file, but keeps only the columns that name them.
// Throws std::invalid_argument as validate, read_table and environments_of_rows do.
std::vector<std::string> environment_names(const TableSpec& spec);

}  // namespace pair::data

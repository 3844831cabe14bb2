#include "pair/data/table_environments.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <utility>

#include "pair/base/names.h"
#include "pair/data/table_spec.h"

namespace pair::data {
namespace {

constexpr std::size_t most_environments = 1000;

}  // namespace

RowEnvironments environments_of_rows(const Table& table, const std::vector<std::string>& columns) {
  // Combined texts by column after column: codes of what was combined so far and the column's own.
  std::vector<std::string> names{""};
  std::vector<std::uint32_t> of_row(table.rows, 0);
  const std::string shown = base::printable(table.name);
  for (const std::string& name : columns) {
    const Column& column = *table.find(name);
    if (column.missing > 0) {
      throw std::invalid_argument(shown + ": environment '" + base::printable(name) +
                                  "': expected a value in every row, got " + missing_rows(column));
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> combined;
    std::vector<std::string> longer;
    for (std::size_t row = 0; row < table.rows; ++row) {
      const std::pair key{of_row[row], column.codes[row]};
      const auto [found, added] = combined.emplace(key, static_cast<std::uint32_t>(combined.size()));
      if (added) {
        if (combined.size() > most_environments) {
          throw std::invalid_argument(shown + ": environment: expected at most " +
                                      std::to_string(most_environments) + " environments, got more");
        }
        longer.push_back(names[key.first].empty() ? column.categories[key.second]
                                                  : names[key.first] + "/" + column.categories[key.second]);
      }
      of_row[row] = found->second;
    }
    names = std::move(longer);
  }
  // In order.
  std::vector<std::string> sorted = names;
  sort_names(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw std::invalid_argument(
        shown + ": environment: expected names that differ when combined with '/', got '" +
        base::printable(*std::adjacent_find(sorted.begin(), sorted.end())) + "' twice");
  }
  std::vector<std::uint32_t> place(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    place[i] = static_cast<std::uint32_t>(std::find(sorted.begin(), sorted.end(), names[i]) - sorted.begin());
  }
  for (std::uint32_t& environment : of_row) {
    environment = place[environment];
  }
  if (sorted.size() < 2) {
    throw std::invalid_argument(shown + ": environment: expected at least 2 environments, got '" +
                                base::printable(sorted.front()) + "' in every row");
  }
  return {std::move(sorted), std::move(of_row)};
}

std::vector<std::string> environment_names(const TableSpec& spec) {
  validate(spec);
  TableReading reading = reading_of(spec);
  reading.ignore.clear();
  reading.only = spec.environment;
  return environments_of_rows(read_table(spec.file, reading), spec.environment).names;
}

}  // namespace pair::data

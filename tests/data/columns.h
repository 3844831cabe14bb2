#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "pair/data/table.h"

// Columns for tests, as read_table makes them.

namespace pair::data::testing {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

inline Column numbers(std::string name, std::vector<double> values) {
  Column column{.name = std::move(name), .numbers = std::move(values)};
  column.missing = static_cast<std::size_t>(std::count_if(column.numbers.begin(), column.numbers.end(),
                                                          [](double value) { return std::isnan(value); }));
  return column;
}

inline Column categories(std::string name, std::vector<std::string> names, std::vector<std::uint32_t> codes) {
  Column column{.name = std::move(name),
                .kind = ColumnKind::category,
                .codes = std::move(codes),
                .categories = std::move(names)};
  column.missing =
      static_cast<std::size_t>(std::count(column.codes.begin(), column.codes.end(), missing_category));
  return column;
}

}  // namespace pair::data::testing

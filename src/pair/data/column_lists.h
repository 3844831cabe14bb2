#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/options.h"

// Options that are lists of columns of a CSV file.

namespace pair::data {

// Names of columns as typed: separated by commas, and in quotes if a name has a comma, as in a row of a CSV
// file. "none" for an empty list; in quotes, it is a column. Nothing for text that is not such a list.
std::optional<base::Value> parse_columns(std::string_view typed);

// A list of columns that may be empty, which text and specs have as "none".
template <class Spec>
base::Field& add_columns(base::Fields<Spec>& fields, std::string name, std::vector<std::string> Spec::*member,
                         std::string summary) {
  base::Field& field = fields.names(
      std::move(name), member, "none, or names of columns separated by commas (in quotes if one has a comma)",
      std::move(summary), [](const std::vector<std::string>& names) {
        return !names.empty() && std::none_of(names.begin(), names.end(),
                                              [](const std::string& column) { return column.empty(); });
      });
  field.parse = parse_columns;
  field.get = [plain = field.get](const void* spec) {
    const base::Value value = plain(spec);
    return std::get<std::vector<std::string>>(value).empty() ? base::Value(std::string("none")) : value;
  };
  field.set = [plain = field.set, member](void* spec, const base::Value& value) {
    if (value == base::Value(std::string("none"))) {
      (static_cast<Spec*>(spec)->*member).clear();
      return true;
    }
    return plain(spec, value);
  };
  return field;
}

}  // namespace pair::data

#include "pair/data/wilds_table.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/data/cell.h"
#include "pair/data/table.h"

namespace pair::data {

WildsTable::WildsTable(const std::filesystem::path& path, std::initializer_list<std::string_view> columns)
    : reader_(path, {.separator = ','}), names_(columns.begin(), columns.end()) {
  if (!reader_.next()) {
    throw std::invalid_argument(path.string() + ": expected a header with the column '" + names_.front() +
                                "', got an empty file");
  }
  const auto header = reader_.fields();
  for (const std::string& name : names_) {
    const auto found = std::ranges::find(header, name);
    if (found == header.end()) {
      throw std::invalid_argument(path.string() + ": expected the column '" + name + "', got " +
                                  quoted_names({header.begin(), header.end()}));
    }
    places_.push_back(static_cast<std::size_t>(found - header.begin()));
  }
}

std::string_view WildsTable::any_text(std::size_t column) const {
  return reader_.fields()[places_[column]];
}

std::string_view WildsTable::text(std::size_t column) const {
  const std::string_view cell = any_text(column);
  if (cell.empty()) {
    refuse(column, "a text");
  }
  return cell;
}

std::int64_t WildsTable::whole(std::size_t column, std::int64_t low, std::int64_t high) const {
  const auto value = base::number_from<std::int64_t>(any_text(column));
  if (!value || *value < low || *value > high) {
    refuse(column, "an integer from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return *value;
}

double WildsTable::number(std::size_t column) const {
  const std::optional<double> value = number_of(any_text(column));
  if (!value) {
    refuse(column, "a number");
  }
  return *value;
}

void WildsTable::refuse(std::size_t column, const std::string& expected) const {
  throw std::invalid_argument(reader_.name() + ", line " + std::to_string(reader_.line()) + ", column " +
                              names_[column] + ": expected " + expected + ", got '" +
                              base::printable(any_text(column).substr(0, 60)) + "'");
}

std::size_t FirstSeen::of(std::string_view text) {
  const auto [found, is_new] = numbers_.try_emplace(std::string(text), names_.size());
  if (is_new) {
    names_.emplace_back(text);
  }
  return found->second;
}

std::size_t check_all_occur(const std::vector<double>& values, const std::filesystem::path& file,
                            std::string_view column) {
  const double most = values.empty() ? -1.0 : *std::ranges::max_element(values);
  std::vector<bool> occurs(static_cast<std::size_t>(most + 1.0), false);
  for (const double value : values) {
    occurs[static_cast<std::size_t>(value)] = true;
  }
  if (const auto lacking = std::ranges::find(occurs, false); lacking != occurs.end()) {
    throw std::invalid_argument(file.string() + ", column " + std::string(column) +
                                ": expected all numbers from 0 to " + std::to_string(occurs.size() - 1) +
                                ", got none that is " + std::to_string(lacking - occurs.begin()));
  }
  return occurs.size();
}

std::vector<std::string> numbers_as_names(std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(std::to_string(i));
  }
  return names;
}

}  // namespace pair::data

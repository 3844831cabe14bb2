#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pair/data/csv.h"

// For the readers of WILDS' tables.

namespace pair::data {

// A CSV file, of which some columns are used. Further columns are ignored.
class WildsTable {
 public:
  // Throws std::invalid_argument if the file cannot be opened or lacks a column; the sentence lists its
  // columns.
  WildsTable(const std::filesystem::path& path, std::initializer_list<std::string_view> columns);

  bool next() { return reader_.next(); }
  // The cells of the current row, by the column's place in the list.
  [[nodiscard]] std::string_view text(std::size_t column) const;  // not empty
  [[nodiscard]] std::string_view any_text(std::size_t column) const;
  [[nodiscard]] std::int64_t whole(std::size_t column, std::int64_t low, std::int64_t high) const;
  [[nodiscard]] double number(std::size_t column) const;
  // "metadata.csv, line 7, column center: expected ..., got '...'".
  [[noreturn]] void refuse(std::size_t column, const std::string& expected) const;

 private:
  CsvReader reader_;
  std::vector<std::string> names_;
  std::vector<std::size_t> places_;
};

// Numbers texts in the order in which they first occur, as pandas' unique().
class FirstSeen {
 public:
  std::size_t of(std::string_view text);
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
};

// Throws std::invalid_argument unless the values are 0, 1, ..., max, each at least once, which WILDS
// requires. Returns max + 1.
std::size_t check_all_occur(const std::vector<double>& values, const std::filesystem::path& file,
                            std::string_view column);

// "0", "1", ..., as names of classes or groups without names.
std::vector<std::string> numbers_as_names(std::size_t count);

}  // namespace pair::data

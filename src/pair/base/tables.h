#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Words in rows and columns, as text, Markdown and CSV.

namespace pair::base {

// The first row is the header. Rows may be shorter than it, not longer.
using Rows = std::vector<std::vector<std::string>>;

struct TextTable {
  std::string_view indent = "";          // before every line
  std::size_t gap = 2;                   // spaces between columns
  std::size_t left = std::string::npos;  // so many columns are aligned left, the others right
  bool rule = false;                     // a line of dashes below the header
};

// Columns as wide as their widest word, counted in characters. No line ends in spaces.
std::string aligned(const Rows& rows, const TextTable& table = {});

// A table of Markdown; | in words is escaped. `right`: columns after the first are aligned right.
std::string markdown(const Rows& rows, bool right = false);

// One value of a line of CSV, in quotes where it must be (RFC 4180).
std::string csv_value(std::string_view text);

// "a, b, c": what `shown` makes of each item, with the separator between them.
template <class Items, class Shown>
std::string joined(const Items& items, std::string_view separator, Shown shown) {
  std::string text;
  bool first = true;
  for (const auto& item : items) {
    text.append(first ? std::string_view() : separator).append(shown(item));
    first = false;
  }
  return text;
}

// The same of words.
template <class Words>
std::string joined(const Words& words, std::string_view separator = ", ") {
  return joined(words, separator, [](std::string_view word) { return word; });
}

}  // namespace pair::base

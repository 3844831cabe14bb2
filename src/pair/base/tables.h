#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Tables of text: aligned, as Markdown, and as CSV.

namespace pair::base {

// The first row is the header. Other rows may be shorter, not longer.
using Rows = std::vector<std::vector<std::string>>;

struct TextTable {
  std::string_view indent = {};          // before every line
  std::size_t gap = 2;                   // spaces between columns
  std::size_t left = std::string::npos;  // number of left-aligned columns; the others are right-aligned
  bool rule = false;                     // a line of dashes below the header
  std::size_t least = 0;                 // characters that a column has at least
};

// Columns as wide as their widest word, in characters. Lines do not end in spaces.
std::string aligned(const Rows& rows, const TextTable& table = {});

// A Markdown table; | is escaped, and the end of a line becomes a space. `right`: columns after the first are
// right-aligned.
std::string markdown(const Rows& rows, bool right = false);

// A CSV value, quoted if necessary (RFC 4180).
std::string csv_value(std::string_view text);

// "a, b, c": `shown` of each item, joined by the separator.
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

// The same for words.
template <class Words>
std::string joined(const Words& words, std::string_view separator = ", ") {
  return joined(words, separator, [](std::string_view word) { return word; });
}

}  // namespace pair::base

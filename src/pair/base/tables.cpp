#include "pair/base/tables.h"

#include <algorithm>

namespace pair::base {
namespace {

// The number of UTF-8 characters: bytes that do not continue a character.
std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string aligned(const Rows& rows, const TextTable& table) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), table.least);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], characters_in(row[i]));
    }
  }
  std::string text;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    std::string line(table.indent);
    for (std::size_t i = 0; i < rows[n].size(); ++i) {
      const std::string space(widths[i] - characters_in(rows[n][i]), ' ');
      line.append(i == 0 ? 0 : table.gap, ' ');
      line += i < table.left ? rows[n][i] + space : space + rows[n][i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
    if (n == 0 && table.rule) {
      std::size_t width = widths.empty() ? 0 : table.gap * (widths.size() - 1);
      for (const std::size_t column : widths) {
        width += column;
      }
      text += std::string(table.indent) + std::string(width, '-') + "\n";
    }
  }
  return text;
}

std::string markdown(const Rows& rows, bool right) {
  std::string text;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    for (const std::string& word : rows[n]) {
      text += word.empty() ? "|" : "| ";
      for (const char c : word) {
        text += c == '|' ? "\\|" : std::string(1, c == '\n' ? ' ' : c);
      }
      text += " ";
    }
    text += "|\n";
    if (n == 0) {
      for (std::size_t i = 0; i < rows[0].size(); ++i) {
        text += right && i > 0 ? "|---:" : "|---";
      }
      text += "|\n";
    }
  }
  return text;
}

std::string csv_value(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

}  // namespace pair::base

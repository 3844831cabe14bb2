#include "pair/data/table.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/tables.h"
#include "pair/data/cell.h"
#include "pair/data/csv.h"

namespace pair::data {
namespace {

constexpr std::size_t longest_cell_shown = 40;

std::string cell_shown(std::string_view cell) {
  std::string shown(cell.substr(0, longest_cell_shown));
  std::ranges::replace_if(
      shown, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  shown = base::printable(shown);
  return "'" + shown + (cell.size() > longest_cell_shown ? "...'" : "'");
}

bool names_hold(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The bytes as $'...', which bash, zsh and ksh know: characters that a terminal does not print are escaped.
std::string escaped_word(std::string_view text) {
  std::string word = "$'";
  while (!text.empty()) {
    std::size_t length = 1;  // of the character
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0U) == 0x80U) {
      ++length;
    }
    const std::string_view character = text.substr(0, length);
    text.remove_prefix(length);
    if (character == "\n") {
      word += "\\n";
    } else if (character == "\t") {
      word += "\\t";
    } else if (character == "'" || character == "\\") {
      word.append("\\").append(character);
    } else if (base::printable(character) == character) {
      word += character;
    } else {
      for (const char byte : character) {  // as three octal digits
        const auto value = static_cast<unsigned char>(byte);
        word += {'\\', static_cast<char>('0' + (value >> 6U)), static_cast<char>('0' + ((value >> 3U) & 7U)),
                 static_cast<char>('0' + (value & 7U))};
      }
    }
  }
  return word + "'";
}

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// A column while it is read.
class ColumnReader {
 public:
  enum class Role { feature, label, environment };

  ColumnReader(std::string name, std::size_t place, Role role, std::size_t most_categories)
      : place_(place), role_(role), most_(most_categories), known_(role == Role::environment) {
    column_.name = std::move(name);
    column_.kind = known_ ? ColumnKind::category : ColumnKind::number;
  }

  [[nodiscard]] std::size_t place() const { return place_; }
  // A cell of text among numbers: the column must be read again as text.
  [[nodiscard]] bool is_mixed() const { return mixed_; }
  Column take() && { return std::move(column_); }

  void read_as_text() {
    mixed_ = false;
    known_ = true;
    column_ = Column{.name = std::move(column_.name),
                     .kind = ColumnKind::category,
                     .text = std::move(column_.text),
                     .text_line = column_.text_line};
  }

  void add(std::string_view cell, const CsvReader& reader) {
    if (mixed_ || column_.full_line > 0) {
      return;
    }
    cell = trimmed_cell(cell);
    if (column_.kind == ColumnKind::number) {
      if (const std::optional<double> number = number_of(cell)) {
        known_ = true;
        if (!std::isfinite(*number)) {
          refuse_infinite(cell, reader);
        }
        column_.numbers.push_back(*number);
        return;
      }
      if (is_missing(cell)) {
        count_missing(reader);
        column_.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
        return;
      }
      if (is_infinite_word(cell)) {
        refuse_infinite(cell, reader);
      }
      column_.text = cell.substr(0, longest_cell_shown + 1);
      column_.text_line = reader.line();
      if (known_) {
        mixed_ = true;
        column_.numbers = {};
        return;
      }
      // All before are missing.
      known_ = true;
      column_.kind = ColumnKind::category;
      column_.codes.assign(column_.numbers.size(), missing_category);
      column_.numbers = {};
    }
    add_category(cell, reader);
  }

 private:
  void count_missing(const CsvReader& reader) {
    if (column_.missing++ == 0) {
      column_.missing_line = reader.line();
    }
  }

  void add_category(std::string_view cell, const CsvReader& reader) {
    if (is_missing(cell)) {
      count_missing(reader);
      column_.codes.push_back(missing_category);
      return;
    }
    // Neighbouring rows are often alike.
    if (!column_.codes.empty() && column_.codes.back() != missing_category &&
        column_.categories[column_.codes.back()] == cell) {
      column_.codes.push_back(column_.codes.back());
      return;
    }
    const auto found = codes_.find(cell);
    if (found != codes_.end()) {
      column_.codes.push_back(found->second);
      return;
    }
    const auto code = static_cast<std::uint32_t>(column_.categories.size());
    if (code == most_) {
      if (role_ != Role::feature) {
        refuse_many(reader);
      }
      column_.full_line = reader.line();
      column_.codes = {};
      codes_ = {};
      return;
    }
    column_.categories.emplace_back(cell);
    codes_.emplace(cell, code);
    column_.codes.push_back(code);
  }

  [[noreturn]] void refuse_infinite(std::string_view cell, const CsvReader& reader) const {
    reader.refuse(named_column(column_.name) + ": expected a finite number or nothing, got " +
                  cell_shown(cell));
  }

  [[noreturn]] void refuse_many(const CsvReader& reader) const {
    const bool label = role_ == Role::label;
    const std::string column =
        reader.name() + ": " +
        (label ? named_label(column_.name) : "environment '" + base::printable(column_.name) + "'") +
        ": expected ";
    const std::string hint =
        label ? "; '--label' can name another column" : "; '--environment' can name a column with few values";
    const std::vector<std::string>& texts = column_.categories;
    if (label && number_of(texts.front())) {
      throw std::invalid_argument(column + "numbers, got " + cell_shown(column_.text) + " on line " +
                                  std::to_string(column_.text_line) + hint);
    }
    if (std::all_of(texts.begin(), texts.end(), looks_like_date)) {
      throw std::invalid_argument(column + "numbers or categories, got dates such as " +
                                  cell_shown(texts.front()) + hint);
    }
    if (label && std::all_of(texts.begin(), texts.end(),
                             [](const std::string& text) { return number_form(text).has_value(); })) {
      const std::string& example = *std::min_element(
          texts.begin(), texts.end(),
          [](const std::string& a, const std::string& b) { return number_form(a) < number_form(b); });
      throw std::invalid_argument(column + "numbers, got cells such as " + cell_shown(example) + ", which " +
                                  std::string(look_of(*number_form(example))));
    }
    throw std::invalid_argument(column + "at most " + std::to_string(most_) +
                                " categories, got more by line " + std::to_string(reader.line()) +
                                ", such as " + cell_shown(texts.front()) + hint);
  }

  Column column_;
  std::size_t place_;  // among the fields of a row
  Role role_;
  std::size_t most_;
  bool known_;  // its kind: a cell that is not missing was seen
  bool mixed_ = false;
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> codes_ = {};
};

struct NamedField {
  std::string name;
  std::size_t place;
};

// The first row.
std::vector<NamedField> names_of(CsvReader& reader) {
  if (!reader.next()) {
    throw std::invalid_argument(reader.name() +
                                ": expected a row of column names and rows below it, got nothing");
  }
  std::vector<NamedField> names;
  for (std::size_t i = 0; i < reader.fields().size(); ++i) {
    std::string name(trimmed_cell(reader.fields()[i]));
    if (name.empty()) {
      continue;
    }
    for (const NamedField& other : names) {
      if (other.name == name) {
        reader.refuse("expected column names that differ, got " + cell_shown(name) + " twice");
      }
    }
    names.push_back({std::move(name), i});
  }
  if (names.empty()) {
    reader.refuse("expected column names, got none");
  }
  return names;
}

std::vector<std::size_t> unnamed_columns(std::span<const std::string_view> fields) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (trimmed_cell(fields[i]).empty()) {
      numbers.push_back(i + 1);
    }
  }
  return numbers;
}

std::vector<std::string> plain_names(const std::vector<NamedField>& fields) {
  std::vector<std::string> names;
  for (const NamedField& field : fields) {
    names.push_back(field.name);
  }
  return names;
}

std::vector<ColumnReader> readers_for(const std::vector<NamedField>& fields, const TableReading& reading,
                                      const std::string& file) {
  const std::vector<std::string> names = plain_names(fields);
  for (const std::string& name : reading.ignore) {
    check_column("ignore", name, names, file);
  }
  for (const std::string& name : reading.only) {
    check_column("column", name, names, file);
  }
  std::vector<ColumnReader> columns;
  for (const NamedField& field : fields) {
    const bool kept = !names_hold(reading.ignore, field.name) &&
                      (reading.only.empty() || names_hold(reading.only, field.name));
    if (kept) {
      const auto role = field.name == reading.label                   ? ColumnReader::Role::label
                        : names_hold(reading.environment, field.name) ? ColumnReader::Role::environment
                                                                      : ColumnReader::Role::feature;
      columns.emplace_back(field.name, field.place, role, reading.most_categories);
    }
  }
  return columns;
}

// Reads all rows into those columns; returns how many there are.
std::size_t read_rows(CsvReader& reader, std::span<ColumnReader* const> columns, std::size_t most_cells) {
  std::size_t rows = 0;
  const std::size_t most_rows = most_cells / std::max<std::size_t>(columns.size(), 1);
  while (reader.next()) {
    if (++rows > most_rows) {
      throw std::invalid_argument(reader.name() + ": expected at most " + std::to_string(most_cells) +
                                  " cells, got more by line " + std::to_string(reader.line()));
    }
    const auto fields = reader.fields();
    for (ColumnReader* const column : columns) {
      column->add(fields[column->place()], reader);
    }
  }
  return rows;
}

}  // namespace

const Column* Table::find(std::string_view column) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [column](const Column& one) { return one.name == column; });
  return found == columns.end() ? nullptr : &*found;
}

std::string missing_rows(const Column& column) {
  return column.missing == 1 ? "1 row without, in line " + std::to_string(column.missing_line)
                             : std::to_string(column.missing) + " rows without, the first in line " +
                                   std::to_string(column.missing_line);
}

// As a shell reads it.
static std::string option_with(const std::string& option, const std::string& list) {
  if (base::printable(list) != list) {
    return option + " " + escaped_word(list);
  }
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-.,:+@%/").find(c) != std::string_view::npos;
  };
  if (std::all_of(list.begin(), list.end(), is_plain)) {
    return option + " " + list;
  }
  std::string quoted;
  for (const char c : list) {
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return option + " '" + quoted + "'";
}

std::string ignore_option(const std::vector<std::string>& columns) {
  // A quoted 'none' is a column, not the empty list.
  return option_with("--ignore", columns == std::vector<std::string>{"none"}
                                     ? "\"none\""
                                     : base::joined(columns, ",", base::csv_value));
}

std::string text_option(const std::string& column) {
  return option_with("--text", column);
}

std::string named_column(const std::string& name) {
  return "column '" + base::printable(name) + "'";
}

std::string named_label(const std::string& name) {
  return "label '" + base::printable(name) + "'";
}

void sort_names(std::vector<std::string>& names) {
  const bool numbers = std::all_of(names.begin(), names.end(),
                                   [](const std::string& name) { return number_of(name).has_value(); });
  std::sort(names.begin(), names.end(), [numbers](const std::string& a, const std::string& b) {
    const double x = numbers ? *number_of(a) : 0.0;
    const double y = numbers ? *number_of(b) : 0.0;
    return x != y ? x < y : a < b;
  });
}

std::string quoted_names(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  const std::size_t shown = std::min(names.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + cell_shown(names[i]);
  }
  return names.size() > shown ? text + " and " + std::to_string(names.size() - shown) + " more" : text;
}

std::string suggested_column(const std::string& name, const std::vector<std::string>& columns) {
  const std::vector<std::string_view> views(columns.begin(), columns.end());
  const std::string_view near = base::nearest(name, views);
  return near.empty() ? "" : "; did you mean " + cell_shown(near) + "?";
}

std::vector<std::string> named_columns(std::span<const std::string_view> fields) {
  std::vector<std::string> names;
  for (const std::string_view field : fields) {
    if (const std::string_view name = trimmed_cell(field); !name.empty()) {
      names.emplace_back(name);
    }
  }
  return names;
}

std::size_t require_column(std::span<const std::string_view> fields, const std::string& name,
                           std::string_view content, const std::string& file) {
  const auto place =
      std::ranges::find_if(fields, [&name](std::string_view field) { return trimmed_cell(field) == name; });
  if (place == fields.end()) {
    const std::vector<std::string> names = named_columns(fields);
    throw std::invalid_argument(base::printable(file) + ": expected the column " + cell_shown(name) +
                                " with " + std::string(content) + ", got " + quoted_names(names) +
                                suggested_column(name, names));
  }
  return static_cast<std::size_t>(place - fields.begin());
}

std::string unnamed_note(const Table& table) {
  constexpr std::size_t most = 10;
  const std::size_t shown = std::min(most, table.unnamed.size());
  return "columns without a name are left out: " +
         base::joined(std::span(table.unnamed).first(shown), ", ",
                      [](std::size_t number) { return std::to_string(number); }) +
         (table.unnamed.size() > shown ? " and " + std::to_string(table.unnamed.size() - shown) + " more"
                                       : "") +
         " (counted from 1)";
}

void check_column(std::string_view what, const std::string& name, const std::vector<std::string>& columns,
                  const std::string& file) {
  if (names_hold(columns, name)) {
    return;
  }
  throw std::invalid_argument(std::string(what) + ": expected a column of " + base::printable(file) +
                              ", which has " + quoted_names(columns) + ", got " + cell_shown(name) +
                              suggested_column(name, columns));
}

Table read_table(const std::filesystem::path& path, const TableReading& reading) {
  CsvReader reader(path, {.separator = reading.separator});
  const std::vector<NamedField> names = names_of(reader);
  std::vector<ColumnReader> columns = readers_for(names, reading, path.string());
  std::vector<ColumnReader*> wanted;
  for (ColumnReader& column : columns) {
    wanted.push_back(&column);
  }
  Table table{.name = path.string(), .unnamed = unnamed_columns(reader.fields())};
  table.rows = read_rows(reader, wanted, reading.most_cells);
  if (table.rows == 0) {
    throw std::invalid_argument(reader.name() + ": expected rows below the column names, got none");
  }
  std::erase_if(wanted, [](const ColumnReader* column) { return !column->is_mixed(); });
  if (!wanted.empty()) {
    for (ColumnReader* const column : wanted) {
      column->read_as_text();
    }
    CsvReader again(path, {.separator = reading.separator});
    (void)again.next();
    if (read_rows(again, wanted, reading.most_cells) != table.rows) {
      throw std::runtime_error(reader.name() + " changed while it was read");
    }
  }
  for (ColumnReader& column : columns) {
    table.columns.push_back(std::move(column).take());
  }
  return table;
}

std::vector<std::string> read_column_names(const std::filesystem::path& path, char separator) {
  CsvReader reader(path, {.separator = separator});
  return plain_names(names_of(reader));
}

}  // namespace pair::data

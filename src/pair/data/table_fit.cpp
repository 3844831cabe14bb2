#include "pair/data/table_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/data/cell.h"

namespace pair::data {
namespace {

constexpr std::size_t most_integer_classes = 20;
constexpr std::size_t few_texts = 20;  // that any number of rows may have
constexpr std::size_t most_faults_shown = 5;

std::string quoted_cell(std::string_view cell) {
  return quoted_names({std::string(cell)});
}

// Whether there are more than 20 different texts, and more than half as many as rows.
bool differ_by_row(std::size_t different, std::size_t rows) {
  return different > few_texts && 2 * different > rows;
}

bool are_dates(const std::vector<std::string>& texts) {
  return std::all_of(texts.begin(), texts.end(),
                     [](const std::string& text) { return looks_like_date(text); });
}

// How many cells of a column of categories are numbers. Texts count once if the column has no codes.
struct NumberCells {
  std::size_t present = 0;  // cells that are not missing
  std::size_t numbers = 0;
  std::size_t forms = 0;                 // numbers in another form
  NumberForm form{};                     // the first of the list that any of them has
  const std::string* example = nullptr;  // the first of them with that form

  [[nodiscard]] bool are_numbers() const { return 10 * numbers >= 9 * present; }
  [[nodiscard]] bool have_form() const { return forms > 0 && 10 * (numbers + forms) >= 9 * present; }
};

NumberCells number_cells(const Column& column) {
  std::vector<std::size_t> counts(column.categories.size(), column.codes.empty() ? 1 : 0);
  for (const std::uint32_t code : column.codes) {
    if (code != missing_category) {
      ++counts[code];
    }
  }
  NumberCells cells;
  for (std::size_t code = 0; code < counts.size(); ++code) {
    const std::string& text = column.categories[code];
    cells.present += counts[code];
    if (number_of(text)) {
      cells.numbers += counts[code];
    } else if (const std::optional<NumberForm> form = number_form(text)) {
      cells.forms += counts[code];
      if (cells.example == nullptr || *form < cells.form) {
        cells.form = *form;
        cells.example = &text;
      }
    }
  }
  return cells;
}

// The odd cells of a column of texts that are almost all numbers, in words. Empty for others.
std::string almost_numbers(const Column& column, const NumberCells& cells) {
  if (column.text_line > 0 && cells.are_numbers()) {
    return (column.full_line > 0
                ? "almost all "
                : std::to_string(cells.numbers) + " of " + std::to_string(cells.present) + " cells ") +
           std::string("are numbers; line ") + std::to_string(column.text_line) + " has " +
           quoted_cell(column.text);
  }
  return cells.have_form()
             ? "cells such as " + quoted_cell(*cells.example) + " " + std::string(look_of(cells.form))
             : "";
}

// After "got 30 texts in 30 rows": what is odd about them, or the first one.
std::string examples_in(const Column& column) {
  const std::string odd = almost_numbers(column, number_cells(column));
  return odd.empty() ? ", such as " + quoted_cell(column.categories.front()) : "; " + odd;
}

// Whether most cells have several words, more than those of a name.
bool are_sentences(const Column& column) {
  constexpr auto several = 3;
  const auto words = [](const std::string& text) {
    std::istringstream rest(text);
    return std::distance(std::istream_iterator<std::string>(rest), {});
  };
  const auto long_ones = std::ranges::count_if(
      column.categories, [&words](const std::string& text) { return words(text) >= several; });
  return 2 * long_ones > std::ssize(column.categories);
}

struct Spread {
  std::size_t count = 0;  // of values that are there
  double mean = 0.0;
  double deviation = 0.0;  // exactly 0 if all values are the same
};

// In two passes: numbers with a large mean keep their digits.
Spread spread_of(std::span<const double> numbers, std::span<const std::size_t> rows) {
  Spread spread;
  double sum = 0.0;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const std::size_t row : rows) {
    if (const double value = numbers[row]; !std::isnan(value)) {
      sum += value;
      low = std::min(low, value);
      high = std::max(high, value);
      ++spread.count;
    }
  }
  if (spread.count == 0 || low == high) {
    spread.mean = spread.count == 0 ? 0.0 : low;
    return spread;
  }
  const auto count = static_cast<double>(spread.count);
  spread.mean = sum / count;
  double squares = 0.0;
  for (const std::size_t row : rows) {
    if (const double value = numbers[row]; !std::isnan(value)) {
      const double difference = (value - spread.mean) / (high - low);  // no overflow
      squares += difference * difference;
    }
  }
  spread.deviation = std::sqrt(squares / count) * (high - low);
  if (!std::isfinite(spread.mean) || !std::isfinite(spread.deviation) || spread.deviation == 0.0) {
    throw std::invalid_argument("expected numbers whose mean and deviation are finite and not 0, got " +
                                base::shown(low) + " to " + base::shown(high));
  }
  return spread;
}

// The number of the given rows whose cell is missing.
std::size_t missing_among(const Column& column, std::span<const std::size_t> rows) {
  if (column.missing == 0) {
    return 0;
  }
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&column](std::size_t row) {
    return column.kind == ColumnKind::number ? std::isnan(column.numbers[row])
                                             : column.codes[row] == missing_category;
  }));
}

std::vector<bool> categories_among(const Column& column, std::span<const std::size_t> rows) {
  std::vector<bool> seen(column.categories.size(), false);
  for (const std::size_t row : rows) {
    if (column.codes[row] != missing_category) {
      seen[column.codes[row]] = true;
    }
  }
  return seen;
}

void refuse_missing_label(const Column& column, const std::string& file) {
  if (column.missing > 0) {
    throw std::invalid_argument(base::printable(file) + ": " + named_label(column.name) +
                                ": expected a value in every row, got " + missing_rows(column));
  }
}

Labels class_labels(const Column& column) {
  Labels labels{.encoding = {.name = column.name, .task = TableTask::classification}};
  std::vector<std::string>& classes = labels.encoding.classes;
  if (column.kind == ColumnKind::category) {
    classes = column.categories;
  } else {
    for (const double value : std::set<double>(column.numbers.begin(), column.numbers.end())) {
      classes.push_back(base::shown(value == 0.0 ? 0.0 : value));
    }
  }
  sort_names(classes);
  if (column.kind == ColumnKind::category) {
    std::vector<float> index(classes.size());
    for (std::size_t code = 0; code < classes.size(); ++code) {
      const auto found = std::find(classes.begin(), classes.end(), column.categories[code]);
      index[code] = static_cast<float>(found - classes.begin());
    }
    for (const std::uint32_t code : column.codes) {
      labels.values.push_back(index[code]);
    }
  } else {
    std::vector<double> values;
    for (const std::string& name : classes) {
      values.push_back(*number_of(name));
    }
    for (const double value : column.numbers) {
      labels.values.push_back(
          static_cast<float>(std::lower_bound(values.begin(), values.end(), value) - values.begin()));
    }
  }
  return labels;
}

// About texts as classes that are almost all numbers. Empty for others.
std::string class_numbers_warning(const Column& column, TaskChoice choice) {
  const NumberCells cells = number_cells(column);
  const std::string odd = almost_numbers(column, cells);
  const bool found = choice == TaskChoice::found;
  if (odd.empty() || (!found && !cells.are_numbers())) {
    return {};
  }
  return named_label(column.name) + ": " + odd +
         (!found                ? ""
          : cells.are_numbers() ? ", so the values are classes"
                                : ", otherwise they are classes");
}

// The number of rows that are alone in their class.
std::size_t rows_alone(const Labels& labels) {
  std::vector<std::size_t> rows(labels.classes(), 0);
  for (const float value : labels.values) {
    ++rows[static_cast<std::size_t>(value)];
  }
  return static_cast<std::size_t>(std::count(rows.begin(), rows.end(), std::size_t{1}));
}

// Classes that few rows share are refused if they look like a mistake, such as names as labels, and otherwise
// warned about: many rare classes are legitimate.
void check_shared(Labels& labels, const Column& column, TaskChoice choice, const std::string& file) {
  const std::size_t rows = labels.values.size();
  if (!differ_by_row(labels.classes(), rows)) {
    return;
  }
  const std::string counts =
      std::to_string(labels.classes()) + " classes in " + std::to_string(rows) + " rows";
  const std::string expected = base::printable(file) + ": " + named_label(column.name) +
                               ": expected classes that several rows share, got ";
  if (choice == TaskChoice::found) {
    throw std::invalid_argument(expected + counts + examples_in(column) +
                                "; task=classification trains on these classes");
  }
  if (choice == TaskChoice::classes_only && 2 * rows_alone(labels) > rows) {
    throw std::invalid_argument(expected + counts + ", such as " +
                                quoted_cell(labels.encoding.classes.front()));
  }
  const bool is_number = column.kind == ColumnKind::number && choice == TaskChoice::classification;
  labels.warnings.push_back(named_label(column.name) + ": " + counts + "; fewer than two rows per class" +
                            (is_number ? "; task=regression predicts the number" : ""));
}

std::size_t different_numbers(const Column& column, std::size_t most) {
  std::set<double> values;
  for (const double value : column.numbers) {
    values.insert(value);
    if (values.size() > most) {
      break;
    }
  }
  return values.size();
}

}  // namespace

bool is_constant(const Column& column, std::span<const std::size_t> rows) {
  const std::size_t missing = missing_among(column, rows);
  if (missing > 0 && missing < rows.size()) {
    return false;  // whether it is missing tells rows apart
  }
  if (missing == rows.size()) {
    return true;
  }
  return std::all_of(rows.begin(), rows.end(), [&](std::size_t row) {
    return column.kind == ColumnKind::number ? column.numbers[row] == column.numbers[rows.front()]
                                             : column.codes[row] == column.codes[rows.front()];
  });
}

std::optional<ColumnFault> fault_of(const Column& column, std::span<const std::size_t> rows,
                                    std::size_t most_categories) {
  const std::string named = named_column(column.name) + ": ";
  const std::size_t different = column.categories.size();
  const bool full = column.full_line > 0;
  if (different > 0 && are_dates(column.categories)) {
    return ColumnFault{column.name, named + "expected numbers or categories, got dates such as " +
                                        quoted_cell(column.categories.front())};
  }
  if (!full && is_constant(column, rows)) {
    const std::size_t all = std::max(column.numbers.size(), column.codes.size());
    return ColumnFault{column.name, named + "expected values that differ, got the same in every " +
                                        (rows.size() < all ? "training row" : "row")};
  }
  if (different == 0) {
    return std::nullopt;
  }
  const std::size_t present = full ? 0 : column.codes.size() - column.missing;
  const bool differ = !full && differ_by_row(different, present);
  if (!differ && !full && different <= most_categories) {
    return std::nullopt;
  }
  // Its cells are better corrected than left out.
  const bool odd = !almost_numbers(column, number_cells(column)).empty();
  const std::string got =
      differ ? "categories that several rows share, got " + std::to_string(different) + " texts in " +
                   std::to_string(present) + " rows"
             : "at most " + std::to_string(most_categories) + " categories, got " +
                   (full ? "more by line " + std::to_string(column.full_line) : std::to_string(different));
  return ColumnFault{
      column.name,
      named + "expected " + got + examples_in(column) +
          (are_sentences(column) ? "; " + text_option(column.name) + " trains on the texts (docs/text.md)"
                                 : ""),
      /*leave_out=*/!odd};
}

std::string sentence_of(const std::vector<ColumnFault>& faults, std::vector<std::string> ignored) {
  std::string text;
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (const ColumnFault& fault : faults) {
    if (shown < most_faults_shown) {
      text += (shown++ == 0 ? "" : "; ") + fault.sentence;
    }
    if (fault.leave_out) {
      ignored.push_back(fault.column);
      ++left_out;
    }
  }
  if (const std::size_t more = faults.size() - shown; more > 0) {
    text += "; and " + std::to_string(more) + (more == 1 ? " more column" : " more columns");
  }
  if (left_out == 0) {
    return text;
  }
  return text + "; " + ignore_option(ignored) + " leaves " +
         (left_out < faults.size() ? "out the columns that it names"
          : left_out == 1          ? "it out"
                                   : "them out");
}

std::string numbers_warning(const Column& column) {
  const NumberCells cells = number_cells(column);
  const std::string odd = almost_numbers(column, cells);
  if (odd.empty()) {
    return {};
  }
  return named_column(column.name) + ": " + odd +
         (cells.are_numbers() ? ", so it is a column of categories (an empty cell is a missing number)"
                              : ", otherwise they are categories");
}

ColumnEncoding fit_column(const Column& column, std::span<const std::size_t> rows) {
  ColumnEncoding encoding{.name = column.name, .kind = column.kind};
  encoding.missing = missing_among(column, rows) > 0;
  if (column.kind == ColumnKind::number) {
    try {
      const Spread spread = spread_of(column.numbers, rows);
      encoding.mean = spread.mean;
      encoding.deviation = spread.deviation > 0.0 ? spread.deviation : 1.0;
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(named_column(column.name) + ": " + error.what());
    }
    return encoding;
  }
  const std::vector<bool> seen = categories_among(column, rows);
  for (std::size_t code = 0; code < seen.size(); ++code) {
    if (seen[code]) {
      encoding.categories.push_back(column.categories[code]);
    }
  }
  std::sort(encoding.categories.begin(), encoding.categories.end());
  return encoding;
}

Labels fit_labels(const Column& column, TaskChoice choice, std::span<const std::size_t> rows,
                  const std::string& file) {
  const std::string expected = base::printable(file) + ": " + named_label(column.name) + ": expected ";
  refuse_missing_label(column, file);
  const bool text = column.kind == ColumnKind::category;
  if (text && choice == TaskChoice::regression) {
    throw std::invalid_argument(expected + "numbers for task=regression, got texts" + examples_in(column));
  }
  constexpr std::size_t most_classes = 1000;
  const bool classes = choice == TaskChoice::classification || choice == TaskChoice::classes_only;
  if (!text && classes && different_numbers(column, most_classes) > most_classes) {
    throw std::invalid_argument(
        expected + "at most " + std::to_string(most_classes) + " classes, got more" +
        (choice == TaskChoice::classification ? "; task=regression predicts the number" : ""));
  }
  const bool few_integers = !text &&
                            different_numbers(column, most_integer_classes) <= most_integer_classes &&
                            std::all_of(column.numbers.begin(), column.numbers.end(),
                                        [](double value) { return value == std::rint(value); });
  if (classes || (choice == TaskChoice::found && (text || few_integers))) {
    Labels labels = class_labels(column);
    if (labels.classes() < 2) {
      throw std::invalid_argument(expected + "at least 2 classes, got '" +
                                  base::printable(labels.encoding.classes.front().substr(0, 40)) +
                                  "' in every row");
    }
    check_shared(labels, column, choice, file);
    if (std::string warning = class_numbers_warning(column, choice); !warning.empty()) {
      labels.warnings.push_back(std::move(warning));
    }
    return labels;
  }
  Labels labels{.encoding = {.name = column.name, .task = TableTask::regression}};
  const Spread spread = spread_of(column.numbers, rows);
  if (spread.deviation == 0.0) {
    throw std::invalid_argument(expected + "numbers that differ, got " + base::shown(spread.mean) +
                                " in every training row");
  }
  labels.encoding.mean = spread.mean;
  labels.encoding.deviation = spread.deviation;
  for (const double value : column.numbers) {
    labels.values.push_back(standardised(value, spread.mean, spread.deviation));
  }
  return labels;
}

}  // namespace pair::data

#include "pair/data/table_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/data/cell.h"

namespace pair::data {
namespace {

constexpr std::size_t most_integer_classes = 20;
constexpr std::size_t fewest_odd_texts = 20;  // that nearly every row may have its own of

std::string hint_to_ignore(const std::string& name) {
  return "; '--ignore " + base::printable(name) + "' leaves it out";
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
    throw std::invalid_argument(base::printable(file) + ": label '" + base::printable(column.name) +
                                "': expected a value in every row, got " + missing_rows(column));
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

void check_feature(const Column& column, const std::string& file) {
  if (column.kind == ColumnKind::number || column.categories.empty()) {
    return;
  }
  const std::string expected = base::printable(file) + ": " + named_column(column.name) + ": expected ";
  const std::string such = " such as '" + base::printable(column.categories.front().substr(0, 40)) + "'";
  if (std::all_of(column.categories.begin(), column.categories.end(),
                  [](const std::string& text) { return looks_like_date(text); })) {
    throw std::invalid_argument(expected + "numbers or categories, got dates" + such +
                                hint_to_ignore(column.name));
  }
  const std::size_t different = column.categories.size();
  const std::size_t present = column.codes.size() - column.missing;
  if (different > fewest_odd_texts && 2 * different > present) {
    throw std::invalid_argument(expected + "categories that several rows share, got " +
                                std::to_string(different) + " texts in " + std::to_string(present) +
                                " rows," + such + hint_to_ignore(column.name));
  }
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
  const std::string expected =
      base::printable(file) + ": label '" + base::printable(column.name) + "': expected ";
  refuse_missing_label(column, file);
  const bool text = column.kind == ColumnKind::category;
  if (text && choice == TaskChoice::regression) {
    throw std::invalid_argument(expected + "numbers for task=regression, got '" +
                                base::printable(column.categories.front().substr(0, 40)) + "'");
  }
  constexpr std::size_t most_classes = 1000;
  if (!text && choice == TaskChoice::classification &&
      different_numbers(column, most_classes) > most_classes) {
    throw std::invalid_argument(expected + "at most " + std::to_string(most_classes) +
                                " classes, got more; task=regression predicts the number");
  }
  const bool few_integers = !text &&
                            different_numbers(column, most_integer_classes) <= most_integer_classes &&
                            std::all_of(column.numbers.begin(), column.numbers.end(),
                                        [](double value) { return value == std::rint(value); });
  if (choice == TaskChoice::classification || (choice == TaskChoice::found && (text || few_integers))) {
    Labels labels = class_labels(column);
    if (labels.classes() < 2) {
      throw std::invalid_argument(expected + "at least 2 classes, got '" +
                                  base::printable(labels.encoding.classes.front().substr(0, 40)) +
                                  "' in every row");
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

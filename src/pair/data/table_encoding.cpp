#include "pair/data/table_encoding.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/data/cell.h"

namespace pair::data {
namespace {

constexpr std::size_t most_integer_classes = 20;
constexpr std::size_t fewest_odd_texts = 20;  // that nearly every row may have its own of

std::string named_column(const std::string& name) {
  return "column '" + base::printable(name) + "'";
}

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

float standardised(double value, double mean, double deviation) {
  return static_cast<float>((value - mean) / deviation);
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

const nlohmann::json& member(const nlohmann::json& json, const char* key, nlohmann::json::value_t type) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  const bool number = type == nlohmann::json::value_t::number_float;
  if (!json.is_object() || found == json.end() || !(number ? found->is_number() : found->type() == type)) {
    throw std::invalid_argument(
        std::string("a table's encoding: expected \"") + key + "\", got " +
        json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 60));
  }
  return *found;
}

using JsonType = nlohmann::json::value_t;

double deviation_in(const nlohmann::json& json) {
  const double deviation = member(json, "deviation", JsonType::number_float).get<double>();
  if (!(deviation > 0.0) || !std::isfinite(deviation)) {
    throw std::invalid_argument("a table's encoding: expected a deviation above 0, got " +
                                base::shown(deviation));
  }
  return deviation;
}

std::vector<std::string> texts_in(const nlohmann::json& json, const char* key) {
  std::vector<std::string> texts;
  for (const nlohmann::json& text : member(json, key, JsonType::array)) {
    if (!text.is_string()) {
      throw std::invalid_argument(std::string("a table's encoding: expected a list of texts as \"") + key +
                                  "\"");
    }
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

}  // namespace

std::string_view to_string(TableTask task) {
  return task == TableTask::classification ? "classification" : "regression";
}

std::size_t TableEncoding::width() const {
  return std::accumulate(columns.begin(), columns.end(), std::size_t{0},
                         [](std::size_t sum, const ColumnEncoding& column) { return sum + column.width(); });
}

std::vector<std::string> TableEncoding::input_names() const {
  std::vector<std::string> names;
  for (const ColumnEncoding& column : columns) {
    if (column.kind == ColumnKind::number) {
      names.push_back(column.name);
    }
    for (const std::string& category : column.categories) {
      names.push_back(column.name + "=" + category);
    }
    if (column.missing) {
      names.push_back(column.name + " is missing");
    }
  }
  return names;
}

void TableEncoding::encode(std::span<const std::string_view> cells, std::span<float> inputs) const {
  if (cells.size() != columns.size() || inputs.size() != width()) {
    throw std::invalid_argument("a row: expected " + std::to_string(columns.size()) + " cells and room for " +
                                std::to_string(width()) + " inputs, got " + std::to_string(cells.size()) +
                                " and " + std::to_string(inputs.size()));
  }
  std::fill(inputs.begin(), inputs.end(), 0.0F);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnEncoding& column = columns[i];
    const std::string_view cell = trimmed_cell(cells[i]);
    const std::size_t width = column.width();
    if (is_missing(cell)) {
      if (column.missing) {
        inputs[width - 1] = 1.0F;
      }
    } else if (column.kind == ColumnKind::number) {
      const std::optional<double> number = number_of(cell);
      if (!number || !std::isfinite(*number)) {
        throw std::invalid_argument(named_column(column.name) + ": expected a number or nothing, got '" +
                                    base::printable(cell.substr(0, 40)) + "'");
      }
      inputs[0] = standardised(*number, column.mean, column.deviation);
    } else {
      const auto found = std::lower_bound(column.categories.begin(), column.categories.end(), cell);
      if (found != column.categories.end() && *found == cell) {
        inputs[static_cast<std::size_t>(found - column.categories.begin())] = 1.0F;
      }
    }
    inputs = inputs.subspan(width);
  }
}

RowEncoder::RowEncoder(TableEncoding encoding, std::span<const std::string_view> names)
    : encoding_(std::move(encoding)) {
  const auto place_of = [names](const std::string& name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (trimmed_cell(names[i]) == name) {
        return i;
      }
    }
    return npos;
  };
  std::vector<std::string> absent;
  for (const ColumnEncoding& column : encoding_.columns) {
    places_.push_back(place_of(column.name));
    if (places_.back() == npos) {
      absent.push_back(column.name);
    }
  }
  if (!absent.empty()) {
    throw std::invalid_argument("columns: expected " + quoted_names(absent) +
                                ", which the model was trained on, got " +
                                quoted_names({names.begin(), names.end()}));
  }
  label_place_ = place_of(encoding_.label.name);
  for (const std::string& name : encoding_.environment) {
    environment_places_.push_back(place_of(name));
  }
  if (std::find(environment_places_.begin(), environment_places_.end(), npos) != environment_places_.end()) {
    environment_places_.clear();
  }
  cells_.resize(places_.size());
}

void RowEncoder::encode(std::span<const std::string_view> fields, std::span<float> inputs) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    cells_[i] = fields[places_[i]];
  }
  encoding_.encode(cells_, inputs);
}

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

void encode_column(const Column& column, const ColumnEncoding& encoding, std::span<const std::size_t> rows,
                   float* inputs, std::size_t stride) {
  const std::size_t width = encoding.width();
  if (column.kind == ColumnKind::number) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double value = column.numbers[rows[i]];
      float* const to = inputs + i * stride;
      const bool missing = std::isnan(value);
      to[0] = missing ? 0.0F : standardised(value, encoding.mean, encoding.deviation);
      if (encoding.missing) {
        to[1] = missing ? 1.0F : 0.0F;
      }
    }
    return;
  }
  constexpr std::size_t none = RowEncoder::npos;
  std::vector<std::size_t> place(column.categories.size(), none);
  for (std::size_t code = 0; code < place.size(); ++code) {
    const auto found =
        std::lower_bound(encoding.categories.begin(), encoding.categories.end(), column.categories[code]);
    if (found != encoding.categories.end() && *found == column.categories[code]) {
      place[code] = static_cast<std::size_t>(found - encoding.categories.begin());
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    float* const to = inputs + i * stride;
    std::fill_n(to, width, 0.0F);
    const std::uint32_t code = column.codes[rows[i]];
    const std::size_t at = code != missing_category ? place[code] : encoding.missing ? width - 1 : none;
    if (at != none) {
      to[at] = 1.0F;
    }
  }
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

void sort_names(std::vector<std::string>& names) {
  const bool numbers = std::all_of(names.begin(), names.end(),
                                   [](const std::string& name) { return number_of(name).has_value(); });
  std::sort(names.begin(), names.end(), [numbers](const std::string& a, const std::string& b) {
    const double x = numbers ? *number_of(a) : 0.0;
    const double y = numbers ? *number_of(b) : 0.0;
    return x != y ? x < y : a < b;
  });
}

nlohmann::json as_json(const TableEncoding& encoding) {
  nlohmann::json columns = nlohmann::json::array();
  for (const ColumnEncoding& column : encoding.columns) {
    nlohmann::json json{{"name", column.name}, {"missing", column.missing}};
    if (column.kind == ColumnKind::number) {
      json["kind"] = "number";
      json["mean"] = column.mean;
      json["deviation"] = column.deviation;
    } else {
      json["kind"] = "category";
      json["categories"] = column.categories;
    }
    columns.push_back(std::move(json));
  }
  nlohmann::json label{{"name", encoding.label.name}, {"task", to_string(encoding.label.task)}};
  if (encoding.label.task == TableTask::classification) {
    label["classes"] = encoding.label.classes;
  } else {
    label["mean"] = encoding.label.mean;
    label["deviation"] = encoding.label.deviation;
  }
  return {
      {"columns", std::move(columns)}, {"label", std::move(label)}, {"environment", encoding.environment}};
}

TableEncoding table_encoding_from(const nlohmann::json& json) {
  TableEncoding encoding;
  for (const nlohmann::json& column : member(json, "columns", JsonType::array)) {
    ColumnEncoding one{.name = member(column, "name", JsonType::string).get<std::string>()};
    one.missing = member(column, "missing", JsonType::boolean).get<bool>();
    const auto kind = member(column, "kind", JsonType::string).get<std::string>();
    if (kind == "number") {
      one.mean = member(column, "mean", JsonType::number_float).get<double>();
      one.deviation = deviation_in(column);
    } else if (kind == "category") {
      one.kind = ColumnKind::category;
      one.categories = texts_in(column, "categories");
      if (!std::is_sorted(one.categories.begin(), one.categories.end())) {
        throw std::invalid_argument("a table's encoding: expected sorted categories of " +
                                    named_column(one.name));
      }
    } else {
      throw std::invalid_argument("a table's encoding: expected number or category as the kind of " +
                                  named_column(one.name) + ", got '" + base::printable(kind.substr(0, 40)) +
                                  "'");
    }
    encoding.columns.push_back(std::move(one));
  }
  const nlohmann::json& label = member(json, "label", JsonType::object);
  encoding.label.name = member(label, "name", JsonType::string).get<std::string>();
  const auto task = member(label, "task", JsonType::string).get<std::string>();
  if (task == to_string(TableTask::classification)) {
    encoding.label.classes = texts_in(label, "classes");
  } else if (task == to_string(TableTask::regression)) {
    encoding.label.task = TableTask::regression;
    encoding.label.mean = member(label, "mean", JsonType::number_float).get<double>();
    encoding.label.deviation = deviation_in(label);
  } else {
    throw std::invalid_argument("a table's encoding: expected classification or regression, got '" +
                                base::printable(task.substr(0, 40)) + "'");
  }
  encoding.environment = texts_in(json, "environment");
  return encoding;
}

}  // namespace pair::data

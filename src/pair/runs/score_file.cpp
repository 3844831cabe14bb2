#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/options.h"
#include "pair/base/tables.h"
#include "pair/data/cell.h"
#include "pair/data/csv.h"
#include "pair/data/table.h"
#include "pair/data/text.h"
#include "pair/runs/score_sheet.h"

namespace pair::runs {
namespace {

using Fields = std::span<const std::string_view>;

// A file has no options, and is measured as the model's own data.
void begin_file(ScoreSheet& sheet) {
  const ScoreRequest& request = sheet.request();
  if (!request.options.empty() || request.seed) {
    throw std::invalid_argument(request.data +
                                ": expected a dataset with the options, got a file, which has none");
  }
  sheet.choose_metrics(sheet.card().metrics);
}

void read_column_names(data::CsvReader& reader, const ScoreRequest& request) {
  if (!reader.next()) {
    throw std::invalid_argument(request.data + ": expected a row of column names, got nothing");
  }
}

// The rows of a file by environment, with the model's outputs, which are computed for many rows at a time.
class ScoredRows {
 public:
  // places: those of the columns that name a row's environment; none if the file lacks them.
  ScoredRows(ScoreSheet& sheet, const std::vector<std::string>& columns, std::vector<std::size_t> places)
      : sheet_(sheet), columns_(columns), places_(std::move(places)) {}

  // One more row. The environment has the name that the dataset gives it: the columns' texts, joined; "all"
  // if the file lacks the columns. Throws std::invalid_argument if one of them is missing, as in training.
  void add(Fields fields) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (data::is_missing(data::trimmed_cell(fields[places_[i]]))) {
        throw std::invalid_argument("environment '" + base::printable(columns_[i]) +
                                    "': expected a value in every row, got none");
      }
    }
    const auto cell = [fields](std::size_t place) { return data::trimmed_cell(fields[place]); };
    rows_[places_.empty() ? "all" : base::joined(places_, "/", cell)].push_back(count_++);
  }

  // The outputs for the next rows.
  void compute(const torch::Tensor& inputs) {
    outputs_.push_back(sheet_.outputs(inputs));
    sheet_.count(outputs_.back().size(0));
  }

  // Adds the rows to the sheet, by environment. labels: of all rows, as numbers.
  void finish(const torch::Tensor& labels) {
    if (count_ == 0) {
      throw std::invalid_argument(sheet_.request().data + ": expected rows below the column names, got none");
    }
    const torch::Tensor outputs = torch::cat(outputs_);
    const torch::Tensor truths =
        labels.to(sheet_.card().loss == data::TaskLoss::cross_entropy ? torch::kLong : torch::kFloat);
    std::vector<std::string> names;
    for (const auto& [name, ignored] : rows_) {
      names.push_back(name);
    }
    data::sort_names(names);
    for (const std::string& name : names) {
      const torch::Tensor own = torch::tensor(rows_.at(name), torch::kLong);
      sheet_.add({.environment = name}, {outputs.index_select(0, own), truths.index_select(0, own)});
    }
  }

 private:
  ScoreSheet& sheet_;
  const std::vector<std::string>& columns_;
  std::vector<std::size_t> places_;                        // of the columns
  std::map<std::string, std::vector<std::int64_t>> rows_;  // of each environment
  std::vector<torch::Tensor> outputs_;
  std::int64_t count_ = 0;
};

// The index of the class that a cell names. Numbers are compared by value: "1.0" is class "1".
std::int64_t class_in(std::string_view cell, const std::vector<std::string>& classes,
                      const std::string& column) {
  const std::optional<double> number = data::number_of(cell);
  const auto found = std::ranges::find_if(classes, [&](const std::string& name) {
    return name == cell || (number && data::number_of(name) == number);
  });
  if (found == classes.end()) {
    throw std::invalid_argument(data::named_column(column) + ": expected a class that the model knows (" +
                                base::joined(classes) + "), got '" + base::printable(cell) + "'");
  }
  return found - classes.begin();
}

// The class's index, or the number standardised as the training labels were.
float label_in(std::string_view field, const data::LabelEncoding& encoding) {
  const std::string_view cell = data::trimmed_cell(field);
  if (encoding.task != data::TableTask::regression) {
    return static_cast<float>(class_in(cell, encoding.classes, encoding.name));
  }
  const std::optional<double> number = data::number_of(cell);
  if (!number || !std::isfinite(*number)) {
    throw std::invalid_argument(data::named_column(encoding.name) + ": expected a number, got '" +
                                base::printable(cell) + "'");
  }
  return data::standardised(*number, encoding.mean, encoding.deviation);
}

// A note if the file lacks a column that names a row's environment: it may only be misspelt. `places`: of these
// columns; empty unless the file has all of them.
void tell_without_environments(const ScoreSheet& sheet, Fields fields, const std::vector<std::string>& wanted,
                               const std::vector<std::size_t>& places) {
  if (!places.empty() || wanted.empty()) {
    return;
  }
  const std::vector<std::string> names = data::named_columns(fields);
  const auto missing = std::ranges::find_if(
      wanted, [&names](const std::string& name) { return std::ranges::find(names, name) == names.end(); });
  sheet.notice(sheet.request().data + " has no column '" + *missing +
               "', so all rows are one environment, 'all'" + data::suggested_column(*missing, names));
}

// Empty unless the file has all of them.
std::vector<std::size_t> columns_if_all(Fields fields, const std::vector<std::string>& wanted) {
  std::vector<std::size_t> places;
  for (const std::string& name : wanted) {
    const auto place = std::ranges::find_if(
        fields, [&name](std::string_view field) { return data::trimmed_cell(field) == name; });
    if (place == fields.end()) {
      return {};
    }
    places.push_back(static_cast<std::size_t>(place - fields.begin()));
  }
  return places;
}

constexpr std::string_view labels_content = "the labels ('pair predict' needs none)";

}  // namespace

void score_table_file(ScoreSheet& sheet) {
  const ScoreRequest& request = sheet.request();
  const data::TableEncoding& table = *sheet.card().table;
  begin_file(sheet);
  data::CsvReader reader{std::filesystem::path(request.data)};
  read_column_names(reader, request);
  std::optional<data::RowEncoder> encoder;
  try {
    encoder.emplace(table, reader.fields());
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(request.data + ": " + error.what());
  }
  const std::size_t label_place =
      data::require_column(reader.fields(), table.label.name, labels_content, request.data);
  tell_without_environments(sheet, reader.fields(), table.environment, encoder->environment_places());
  constexpr std::size_t rows_at_a_time = 4096;
  const std::size_t width = table.width();
  std::vector<float> inputs;
  std::vector<float> labels;
  data::CellCounts counts;
  ScoredRows rows(sheet, table.environment, encoder->environment_places());
  const auto flush = [&] {
    if (!inputs.empty()) {
      rows.compute(torch::tensor(inputs, torch::kFloat).view({-1, static_cast<std::int64_t>(width)}));
      inputs.clear();
    }
    sheet.stop_if_asked();
  };
  while (reader.next()) {
    inputs.resize(inputs.size() + width);
    try {
      encoder->encode(reader.fields(), std::span(inputs).last(width), &counts);
      rows.add(reader.fields());
      labels.push_back(label_in(reader.fields()[label_place], table.label));
    } catch (const std::invalid_argument& error) {
      reader.refuse(error.what());
    }
    if (inputs.size() >= rows_at_a_time * width) {
      flush();
    }
  }
  flush();
  rows.finish(torch::tensor(labels, torch::kFloat));
  sheet.report(counts);
}

EncodedRows encoded_rows(const data::TableEncoding& encoding, const data::TableSpec& table) {
  data::CsvReader reader{std::filesystem::path(table.file), {.separator = data::separator_of(table)}};
  if (!reader.next()) {
    throw std::invalid_argument(reader.name() + ": expected a row of column names, got nothing");
  }
  data::RowEncoder encoder(encoding, reader.fields());
  const std::size_t width = encoding.width();
  std::vector<float> inputs;
  std::vector<float> labels;
  while (reader.next()) {
    inputs.resize(inputs.size() + width);
    try {
      encoder.encode(reader.fields(), std::span(inputs).last(width));
      labels.push_back(label_in(reader.fields()[encoder.label_place()], encoding.label));
    } catch (const std::invalid_argument& error) {
      reader.refuse(error.what());
    }
  }
  return {torch::tensor(inputs, torch::kFloat).view({-1, static_cast<std::int64_t>(width)}),
          torch::tensor(labels, torch::kFloat)};
}

void score_text_file(ScoreSheet& sheet) {
  const ScoreRequest& request = sheet.request();
  begin_file(sheet);
  const auto& form = sheet.card().input.options.as<data::TextInput>();
  const data::WordPiece tokenizer = data::WordPiece::from_text(form.vocabulary);
  data::CsvReader reader{std::filesystem::path(request.data)};
  read_column_names(reader, request);
  const std::size_t text_place =
      data::require_column(reader.fields(), form.text_column, "the texts", request.data);
  const std::size_t label_place =
      data::require_column(reader.fields(), form.label_column, labels_content, request.data);
  const std::vector<std::size_t> places = columns_if_all(reader.fields(), form.environment_columns);
  tell_without_environments(sheet, reader.fields(), form.environment_columns, places);
  const std::vector<std::string> classes = class_names(sheet.card());
  constexpr std::size_t texts_at_a_time = 256;
  std::vector<std::string> texts;
  std::vector<std::int64_t> labels;
  ScoredRows rows(sheet, form.environment_columns, places);
  const auto flush = [&] {
    if (!texts.empty()) {
      const std::vector<std::string_view> views(texts.begin(), texts.end());
      rows.compute(data::token_rows(tokenizer, views, form.max_tokens));
      texts.clear();
    }
    sheet.stop_if_asked();
  };
  while (reader.next()) {
    try {
      rows.add(reader.fields());
      labels.push_back(
          class_in(data::trimmed_cell(reader.fields()[label_place]), classes, form.label_column));
    } catch (const std::invalid_argument& error) {
      reader.refuse(error.what());
    }
    texts.emplace_back(reader.fields()[text_place]);
    if (texts.size() >= texts_at_a_time) {
      flush();
    }
  }
  flush();
  rows.finish(torch::tensor(labels, torch::kLong));
}

}  // namespace pair::runs

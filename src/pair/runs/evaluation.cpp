#include "pair/runs/evaluation.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "pair/base/numbers.h"

namespace pair::runs {
namespace {

using nlohmann::json;

json rounded(double value) {
  return std::isfinite(value) ? json(base::rounded(value)) : json();
}

json rounded(const std::vector<std::vector<double>>& rows) {
  json list = json::array();
  for (const std::vector<double>& row : rows) {
    json& numbers = list.emplace_back(json::array());
    for (const double value : row) {
      numbers.push_back(rounded(value));
    }
  }
  return list;
}

json environment_json(const Evaluation::Environment& environment, bool regression) {
  json object{{"name", environment.name},
              {"key", environment.key},
              {"test", environment.test},
              {"samples", environment.samples}};
  if (regression) {
    object["rmse"] = rounded(environment.rmse);
    object["mae"] = rounded(environment.mae);
    object["bias"] = rounded(environment.bias);
    object["correlation"] = rounded(environment.correlation);
    return object;
  }
  object["accuracy"] = rounded(environment.accuracy);
  object["confidence"] = rounded(environment.confidence);
  object["calibration_error"] = rounded(environment.calibration_error);
  if (const auto& confusion = environment.confusion) {
    object["confusion"] = {
        {"classes", confusion->classes}, {"others", confusion->others}, {"counts", confusion->counts}};
  }
  json confused = json::array();
  for (const Evaluation::Confused& pair : environment.confused) {
    confused.push_back({pair.truth, pair.answer, pair.count});
  }
  object["confused"] = std::move(confused);
  return object;
}

json wrong_json(const Evaluation::Wrong& wrong, bool regression) {
  json object{{"environment", wrong.environment}, {"sample", wrong.sample}};
  if (regression) {
    object["label"] = rounded(wrong.label);
    object["value"] = rounded(wrong.value);
  } else {
    object["truth"] = wrong.truth;
    object["answer"] = wrong.answer;
    object["probability"] = rounded(wrong.probability);
  }
  if (!wrong.text.empty()) {
    object["text"] = wrong.text;
  }
  if (!wrong.cells.empty()) {
    json cells = json::array();
    for (const auto& [column, cell] : wrong.cells) {
      cells.push_back({column, cell});
    }
    object["cells"] = std::move(cells);
    object["cells_left_out"] = wrong.cells_left_out;
  }
  if (!wrong.picture.empty()) {
    object["picture"] = wrong.picture;
  }
  return object;
}

void expect(bool holds, const char* what) {
  if (!holds) {
    throw std::invalid_argument(std::string("expected ") + what);
  }
}

double number_in(const json& object, const char* key) {
  const json& value = object.at(key);
  return value.is_null() ? Evaluation::unknown : value.get<double>();
}

std::size_t index_in(const json& value, std::size_t end, const char* what) {
  expect(value.is_number_unsigned() && value.get<std::uint64_t>() < end, what);
  return value.get<std::size_t>();
}

std::int64_t count_in(const json& value) {
  expect(value.is_number_unsigned() && value.get<std::uint64_t>() < (std::uint64_t{1} << 53U),
         "counts from 0");
  return value.get<std::int64_t>();
}

const json& list_in(const json& object, const char* key, std::size_t most) {
  const json& list = object.at(key);
  expect(list.is_array() && list.size() <= most, "lists within the limits of an evaluation");
  return list;
}

std::string text_in(const json& object, const char* key) {
  constexpr std::size_t longest = 2000;
  std::string text = object.at(key).get<std::string>();
  expect(text.size() <= longest, "texts of at most 2000 bytes");
  return text;
}

Evaluation::Confusion confusion_from(const json& object, std::size_t classes) {
  Evaluation::Confusion confusion{.classes = {}, .others = object.at("others").get<bool>(), .counts = {}};
  for (const json& index : list_in(object, "classes", most_classes)) {
    confusion.classes.push_back(index_in(index, classes, "classes of the evaluation"));
  }
  const std::size_t width = confusion.classes.size() + (confusion.others ? 1 : 0);
  const json& rows = list_in(object, "counts", most_classes);
  expect(rows.size() == confusion.classes.size(), "one row of counts per class");
  for (const json& row : rows) {
    expect(row.is_array() && row.size() == width, "one count per class in each row");
    std::vector<std::int64_t>& counts = confusion.counts.emplace_back();
    for (const json& count : row) {
      counts.push_back(count_in(count));
    }
  }
  return confusion;
}

Evaluation::Environment environment_from(const json& object, const Evaluation& evaluation) {
  Evaluation::Environment environment{.name = text_in(object, "name"),
                                      .key = text_in(object, "key"),
                                      .test = object.at("test").get<bool>(),
                                      .samples = count_in(object.at("samples"))};
  expect(environment.samples > 0, "environments with samples");
  if (evaluation.regression) {
    environment.rmse = number_in(object, "rmse");
    environment.mae = number_in(object, "mae");
    environment.bias = number_in(object, "bias");
    environment.correlation = number_in(object, "correlation");
    return environment;
  }
  environment.accuracy = number_in(object, "accuracy");
  environment.confidence = number_in(object, "confidence");
  environment.calibration_error = number_in(object, "calibration_error");
  if (object.contains("confusion")) {
    environment.confusion = confusion_from(object.at("confusion"), evaluation.classes.size());
  }
  for (const json& pair : list_in(object, "confused", most_confused)) {
    expect(pair.is_array() && pair.size() == 3, "confusions as [truth, answer, count]");
    environment.confused.push_back({index_in(pair[0], evaluation.classes.size(), "classes of the evaluation"),
                                    index_in(pair[1], evaluation.classes.size(), "classes of the evaluation"),
                                    count_in(pair[2])});
  }
  return environment;
}

bool is_base64(const std::string& text) {
  return text.size() % 4 == 0 && std::ranges::all_of(text, [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
                  c == '/' || c == '=';
         });
}

Evaluation::Wrong wrong_from(const json& object, const Evaluation& evaluation) {
  constexpr std::size_t longest_picture = 60'000;
  Evaluation::Wrong wrong{.environment = index_in(object.at("environment"), evaluation.environments.size(),
                                                  "environments of the evaluation"),
                          .sample = text_in(object, "sample")};
  if (evaluation.regression) {
    wrong.label = number_in(object, "label");
    wrong.value = number_in(object, "value");
  } else {
    wrong.truth = index_in(object.at("truth"), evaluation.classes.size(), "classes of the evaluation");
    wrong.answer = index_in(object.at("answer"), evaluation.classes.size(), "classes of the evaluation");
    wrong.probability = number_in(object, "probability");
  }
  if (object.contains("text")) {
    wrong.text = text_in(object, "text");
  }
  if (object.contains("cells")) {
    constexpr std::size_t most_cells = 64;
    for (const json& cell : list_in(object, "cells", most_cells)) {
      expect(cell.is_array() && cell.size() == 2, "cells as [column, text]");
      wrong.cells.emplace_back(cell[0].get<std::string>(), cell[1].get<std::string>());
    }
    wrong.cells_left_out = count_in(object.at("cells_left_out"));
  }
  if (object.contains("picture")) {
    wrong.picture = object.at("picture").get<std::string>();
    expect(wrong.picture.size() <= longest_picture && is_base64(wrong.picture), "pictures in base64");
  }
  return wrong;
}

Evaluation::Columns columns_from(const json& object, std::size_t environments) {
  Evaluation::Columns columns;
  for (const json& name : list_in(object, "names", most_columns)) {
    columns.names.push_back(name.get<std::string>());
  }
  columns.left_out = count_in(object.at("left_out"));
  columns.fitted = object.at("fitted").get<bool>();
  for (const json& environment : list_in(object, "environments", most_column_environments)) {
    columns.environments.push_back(index_in(environment, environments, "environments of the evaluation"));
  }
  for (const auto& [key, rows] : {std::pair("share", &columns.share), {"agreement", &columns.agreement}}) {
    const json& list = list_in(object, key, most_column_environments);
    expect(list.size() == columns.environments.size(), "one row of numbers per environment");
    for (const json& row : list) {
      expect(row.is_array() && row.size() == columns.names.size(), "one number per column");
      std::vector<double>& numbers = rows->emplace_back();
      for (const json& value : row) {
        numbers.push_back(value.is_null() ? Evaluation::unknown : value.get<double>());
      }
    }
  }
  return columns;
}

Evaluation evaluation_from(const json& object) {
  expect(object.is_object() && object.contains("format"), "a JSON object with \"format\"");
  if (object.at("format") != evaluation_format) {
    throw std::invalid_argument("format: expected " + std::to_string(evaluation_format) + ", got " +
                                object.at("format").dump(-1, ' ', true, json::error_handler_t::replace));
  }
  Evaluation evaluation;
  evaluation.steps = count_in(object.at("steps"));
  evaluation.regression = object.at("regression").get<bool>();
  evaluation.label = text_in(object, "label");
  constexpr std::size_t most_names = most_confusions * (most_classes + 2 * most_confused) + 2 * most_wrong +
                                     most_environments * 2 * most_confused;
  for (const json& name : list_in(object, "classes", most_names)) {
    evaluation.classes.push_back(name.get<std::string>());
  }
  evaluation.classes_in_all = count_in(object.at("classes_in_all"));
  for (const json& environment : list_in(object, "environments", most_environments)) {
    evaluation.environments.push_back(environment_from(environment, evaluation));
  }
  evaluation.worst =
      index_in(object.at("worst"), evaluation.environments.size(), "the worst environment to be one of them");
  for (const json& wrong : list_in(object, "wrong", most_wrong)) {
    evaluation.wrong.push_back(wrong_from(wrong, evaluation));
  }
  if (object.contains("columns")) {
    evaluation.columns = columns_from(object.at("columns"), evaluation.environments.size());
  }
  return evaluation;
}

}  // namespace

nlohmann::json as_json(const Evaluation& evaluation) {
  json environments = json::array();
  for (const Evaluation::Environment& environment : evaluation.environments) {
    environments.push_back(environment_json(environment, evaluation.regression));
  }
  json wrong = json::array();
  for (const Evaluation::Wrong& each : evaluation.wrong) {
    wrong.push_back(wrong_json(each, evaluation.regression));
  }
  json object{{"format", evaluation_format},
              {"steps", evaluation.steps},
              {"regression", evaluation.regression},
              {"label", evaluation.label},
              {"classes", evaluation.classes},
              {"classes_in_all", evaluation.classes_in_all},
              {"environments", std::move(environments)},
              {"worst", evaluation.worst},
              {"wrong", std::move(wrong)}};
  if (const auto& columns = evaluation.columns) {
    object["columns"] = {{"names", columns->names},          {"left_out", columns->left_out},
                         {"fitted", columns->fitted},        {"environments", columns->environments},
                         {"share", rounded(columns->share)}, {"agreement", rounded(columns->agreement)}};
  }
  return object;
}

std::string to_text(const Evaluation& evaluation) {
  return as_json(evaluation).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Evaluation evaluation_from_text(std::string_view text) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  expect(!object.is_discarded(), "JSON, got text that is not");
  try {
    return evaluation_from(object);
  } catch (const json::exception& error) {
    // Without the part in brackets: "[json.exception.out_of_range.403] key 'worst' not found".
    const std::string_view what = error.what();
    throw std::invalid_argument("expected what a run writes, got another object: " +
                                std::string(what.substr(std::min(what.find("] ") + 2, what.size()))));
  }
}

}  // namespace pair::runs

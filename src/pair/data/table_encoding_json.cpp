#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/data/table_encoding.h"

// An encoding as JSON, which a model keeps (runs/model_card.h).

namespace pair::data {
namespace {

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

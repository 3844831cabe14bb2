#include "pair/runs/model_card.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "pair/base/registry.h"
#include "pair/data/input_kinds.h"
#include "pair/models/registry.h"
#include "pair/runs/value_json.h"

namespace pair::runs {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t largest_input = std::int64_t{1} << 30;

json options_json(const base::Options& options) {
  json object = json::object();
  for (const base::Field& field : options.fields()) {
    // How the run's steps were done is in its spec; the network is the same.
    if (!field.of_run) {
      object[field.name] = as_json(options.get(field));
    }
  }
  return object;
}

// Every option of `defaults` that the object has; others are refused, so that a newer program's are not
// passed over.
base::Options options_from(const json& object, base::Options defaults, const std::string& whose) {
  for (const auto& [name, value] : object.items()) {
    const base::Field* const field = defaults.find(name);
    if (field == nullptr) {
      throw std::invalid_argument("expected an option of " + whose + ", got '" + name + "'");
    }
    // A list that may be empty has no kind in JSON.
    if (value.is_array() && value.empty()) {
      continue;
    }
    const std::optional<base::Value> plain = value_from(value);
    if (!plain) {
      throw std::invalid_argument(name + ": expected " + field->expectation() + ", got " + value.dump());
    }
    defaults.set_value(*field, *plain);
  }
  return defaults;
}

data::InputForm input_from(const json& object) {
  json options = object;
  options.erase("kind");
  const auto kind = object.at("kind").get<std::string>();
  const base::Options defaults = kind.empty() ? base::Options() : data::input_kind_named(kind).options;
  // A kind without options has nothing to read; members that it does not know are ignored.
  if (defaults.fields().empty()) {
    return {kind, {}};
  }
  return {kind, options_from(options, defaults, "inputs of the kind '" + kind + "'")};
}

void check_sizes(const ModelCard& card) {
  std::int64_t size = 1;
  for (const std::int64_t side : card.input_shape) {
    if (side < 1 || side > largest_input / size) {
      throw std::invalid_argument("shape: expected sizes from 1 with a product of at most " +
                                  std::to_string(largest_input));
    }
    size *= side;
  }
  if (card.table && std::cmp_not_equal(card.table->width(), size)) {
    throw std::invalid_argument("table: expected columns that make " + std::to_string(size) +
                                " inputs, got " + std::to_string(card.table->width()));
  }
  const bool one = card.loss != data::TaskLoss::cross_entropy;
  if (card.outputs < 1 || card.outputs > largest_input || (one && card.outputs != 1)) {
    throw std::invalid_argument("outputs: expected " + std::string(one ? "1" : "1 or more") + ", got " +
                                std::to_string(card.outputs));
  }
  const std::size_t classes = card.loss == data::TaskLoss::squared_error ? 0
                              : one                                      ? 2
                                    : static_cast<std::size_t>(card.outputs);
  if (!card.classes.empty() && card.classes.size() != classes) {
    throw std::invalid_argument("classes: expected " + std::to_string(classes) + " names, got " +
                                std::to_string(card.classes.size()));
  }
}

ModelCard card_from(const json& object) {
  if (!object.is_object() || !object.contains("format")) {
    throw std::invalid_argument("expected a JSON object with \"format\"");
  }
  if (object.at("format") != model_card_format) {
    throw std::invalid_argument("format: expected " + std::to_string(model_card_format) + ", got " +
                                object.at("format").dump());
  }
  ModelCard card;
  const json& network = object.at("architecture");
  card.model = network.at("name").get<std::string>();
  card.model_options = options_from(network.at("options"), models::model_named(card.model).options,
                                    "the model '" + card.model + "'");
  card.loss = data::task_loss_from(object.at("loss").get<std::string>());
  card.outputs = object.at("outputs").get<std::int64_t>();
  card.classes = object.at("classes").get<std::vector<std::string>>();
  json input = object.at("input");
  card.input_shape = input.at("shape").get<std::vector<std::int64_t>>();
  input.erase("shape");
  card.input = input_from(input);
  if (card.input.kind == data::table_input) {
    card.table = std::make_shared<const data::TableEncoding>(data::table_encoding_from(object.at("table")));
  }
  const json& dataset = object.at("dataset");
  card.dataset = dataset.at("name").get<std::string>();
  for (const auto& [name, value] : dataset.at("options").items()) {
    const std::optional<base::Value> plain = value_from(value);
    if (!plain) {
      throw std::invalid_argument(name + ": expected the value of an option, got " + value.dump());
    }
    card.dataset_options.emplace_back(name, *plain);
  }
  card.environments = dataset.at("environments").get<std::vector<std::string>>();
  card.test_environments = dataset.at("test_environments").get<std::vector<std::int64_t>>();
  card.metrics = object.at("metrics").get<std::vector<std::string>>();
  const json& run = object.at("run");
  card.algorithm = run.at("algorithm").get<std::string>();
  card.seed = run.at("seed").get<std::uint64_t>();
  card.steps = run.at("steps").get<std::int64_t>();
  card.averaged_steps = run.value("averaged_steps", std::int64_t{0});
  card.run = run.at("hash").get<std::string>();
  card.weights_sha256 = object.at("weights_sha256").get<std::string>();
  check_sizes(card);
  return card;
}

}  // namespace

std::vector<std::string> class_names(const ModelCard& card) {
  if (!card.classes.empty() || card.loss == data::TaskLoss::squared_error) {
    return card.classes;
  }
  std::vector<std::string> numbers;
  const std::int64_t classes = card.loss == data::TaskLoss::cross_entropy ? card.outputs : 2;
  for (std::int64_t i = 0; i < classes; ++i) {
    numbers.push_back(std::to_string(i));
  }
  return numbers;
}

std::string to_text(const ModelCard& card) {
  ordered_json input{{"kind", card.input.kind}, {"shape", card.input_shape}};
  input.update(ordered_json(options_json(card.input.options)));
  json dataset_options = json::object();
  for (const auto& [name, value] : card.dataset_options) {
    dataset_options[name] = as_json(value);
  }
  ordered_json object{
      {"format", model_card_format},
      {"architecture", {{"name", card.model}, {"options", options_json(card.model_options)}}},
      {"loss", data::to_string(card.loss)},
      {"outputs", card.outputs},
      {"classes", card.classes},
      {"input", input},
      {"metrics", card.metrics},
      {"dataset",
       {{"name", card.dataset},
        {"options", dataset_options},
        {"environments", card.environments},
        {"test_environments", card.test_environments}}},
      {"run",
       {{"algorithm", card.algorithm}, {"seed", card.seed}, {"steps", card.steps}, {"hash", card.run}}},
      {"weights_sha256", card.weights_sha256}};
  if (card.averaged_steps > 0) {
    object["run"]["averaged_steps"] = card.averaged_steps;
  }
  if (card.table) {
    object["table"] = data::as_json(*card.table);
  }
  // Names of folders may be any bytes.
  return object.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ModelCard card_from_text(std::string_view text) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) {
    throw std::invalid_argument("expected JSON, got text that is not");
  }
  try {
    return card_from(object);
  } catch (const json::exception& error) {
    // "[json.exception.out_of_range.403] key 'loss' not found": without the part in brackets.
    const std::string_view what = error.what();
    throw std::invalid_argument("expected the content of a model.json, got another object: " +
                                std::string(what.substr(std::min(what.find("] ") + 2, what.size()))));
  }
}

}  // namespace pair::runs

#include "pair/runs/run_spec.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "pair/data/sha256.h"
#include "pair/runs/algorithms.h"
#include "pair/runs/keys.h"

namespace pair::runs {
namespace {

constexpr std::size_t differences_shown = 3;
constexpr std::size_t hash_digits = 16;

// What decides the records, spelled out.
nlohmann::json spelled_out(const RunSpec& spec) {
  nlohmann::json json = as_json(spec);
  json.erase("checkpoint_every");
  json["device"] = spec.device.substr(0, spec.device.find(':'));
  return json;
}

nlohmann::json deciding(const RunSpec& spec) {
  nlohmann::json json = spelled_out(spec);
  for (const Key& key : keys()) {
    const auto found = json.find(key.name);
    if (found != json.end() && !key.unsaid.empty() && as_text(*found) == key.unsaid) {
      json.erase(found);
    }
  }
  return json;
}

// (1, 1e10, 1e12) is for three objectives; others need one of their own.
void fit_preference(train::Settings& settings, bool preference_given) {
  if (!preference_given && settings.preference.size() != settings.objectives.size()) {
    settings.preference.clear();
  }
}

std::string name_in(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) {
    throw std::invalid_argument(std::string("the spec has no ") + key + "; a name is needed");
  }
  return found->get<std::string>();
}

}  // namespace

RunSpec resolve(std::string_view dataset, std::string_view algorithm, std::span<const Override> overrides) {
  RunSpec spec;
  spec.dataset = data::dataset_named(dataset);
  spec.algorithm = algorithm_named(algorithm);
  spec.settings = default_settings(algorithm, spec.dataset);
  if (std::holds_alternative<data::ExtrapolationSpec>(spec.dataset)) {
    spec.eval_every = spec.checkpoint_every = 2'500;
  } else if (std::holds_alternative<data::DomainBedMnistSpec>(spec.dataset)) {
    spec.eval_every = spec.checkpoint_every = 100;
    spec.eval_first = 1;  // DomainBed's records follow its updates number 0, 100, ..., 5000
  }
  bool preference_given = false;
  for (const auto& [name, value] : overrides) {
    set(key_named(name), spec, value);
    preference_given = preference_given || name == "preference";
  }
  fit_preference(spec.settings, preference_given);
  return spec;
}

nlohmann::json as_json(const RunSpec& spec) {
  nlohmann::json json{{"dataset", data::name_of(spec.dataset)}, {"algorithm", spec.algorithm}};
  for (const Key& key : keys()) {
    if (key.applies(spec)) {
      json[std::string(key.name)] = key.get(spec);
    }
  }
  return json;
}

RunSpec spec_from_json(const nlohmann::json& json) {
  if (!json.is_object()) {
    throw std::invalid_argument("the spec is no JSON object");
  }
  RunSpec spec = resolve(name_in(json, "dataset"), name_in(json, "algorithm"));
  // First what decides which settings there are.
  if (const auto scheme = json.find("scheme"); scheme != json.end()) {
    set(key_named("scheme"), spec, *scheme);
  }
  for (const auto& [name, value] : json.items()) {
    if (name != "dataset" && name != "algorithm") {
      set(key_named(name), spec, value);
    }
  }
  fit_preference(spec.settings, json.contains("preference"));
  return spec;
}

RunSpec spec_from_text(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    throw std::invalid_argument("the spec is no JSON");
  }
  return spec_from_json(json);
}

std::string canonical(const RunSpec& spec) {
  return deciding(spec).dump();
}

std::string hash(const RunSpec& spec) {
  const std::string form = canonical(spec);
  return data::sha256(data::Bytes(form.begin(), form.end())).substr(0, hash_digits);
}

std::string folder_name(const RunSpec& spec) {
  return data::name_of(spec.dataset) + "-" + spec.algorithm + "-s" + std::to_string(spec.seed) + "-" +
         hash(spec);
}

std::string difference(const RunSpec& its, const RunSpec& here) {
  const nlohmann::json theirs = spelled_out(its);
  const nlohmann::json ours = spelled_out(here);
  std::string text;
  std::size_t count = 0;
  for (const auto& [name, value] : theirs.items()) {
    // Settings that only one of two datasets has say less than the datasets' names, which differ too.
    if (!ours.contains(name) || value == ours.at(name)) {
      continue;
    }
    if (++count <= differences_shown) {
      text += (text.empty() ? "its " : "; its ") + name + " is " + value.dump() + ", here " +
              ours.at(name).dump();
    }
  }
  return count > differences_shown ? text + "; and " + std::to_string(count - differences_shown) + " more"
                                   : text;
}

}  // namespace pair::runs

#include "pair/runs/run_spec.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "pair/algorithms/registry.h"
#include "pair/base/tables.h"
#include "pair/data/sha256.h"
#include "pair/runs/known_settings.h"
#include "pair/runs/option_names.h"
#include "pair/runs/settings.h"
#include "pair/runs/value_json.h"

namespace pair::runs {
namespace {

constexpr std::size_t differences_shown = 3;
constexpr std::size_t hash_digits = 16;

nlohmann::json names_of(const RunSpec& spec) {
  return {{"dataset", spec.dataset.name}, {"algorithm", spec.algorithm}};
}

// Whether it is the digest of a file. Without a file, such a setting is empty or "none".
bool is_digest(const nlohmann::json& value) {
  return value.is_string() && data::is_sha256(value.get_ref<const std::string&>());
}

enum class Unsaid { keep, omit };

// Everything that decides the records, with or without settings that have their omitted value.
nlohmann::json spelled_out(const RunSpec& spec, Unsaid unsaid) {
  nlohmann::json json = names_of(spec);
  for (const Setting& setting : settings_of(spec)) {
    const base::Field& field = *setting.field;
    if (!field.decides) {
      continue;
    }
    const base::Value value = setting.value();
    if (unsaid == Unsaid::keep || field.unsaid.empty() || base::as_text(value) != field.unsaid) {
      json[field.name] = as_json(value);
    }
  }
  json["device"] = spec.device.substr(0, spec.device.find(':'));
  return json;
}

// Every run had epsilon before it became an option of the solvers that read it. The hashes of runs with other
// solvers still include it.
constexpr double epsilon_in_names = 0.1;

// Written specs have all settings that there were then; those by hand may have few.
constexpr const char* in_all_written_specs = "checkpoint_every";

// A setting that did not exist when a spec was written is missing in it. Its run had the value that names of
// runs omit (base::Field::unsaid), from which the default may differ.
void set_omitted(RunSpec& spec, const nlohmann::json& written) {
  base::Assignments omitted;
  for (const Setting& setting : settings_of(spec)) {
    const base::Field& field = *setting.field;
    if (!field.unsaid.empty() && !written.contains(field.name) &&
        base::as_text(setting.value()) != field.unsaid) {
      omitted.emplace_back(field.name, field.unsaid);
    }
  }
  for (const base::Assignment& setting : omitted) {
    set(spec, setting.first, setting.second);
  }
}

nlohmann::json deciding(const RunSpec& spec) {
  nlohmann::json json = spelled_out(spec, Unsaid::omit);
  json.emplace("epsilon", epsilon_in_names);
  // tf32, which every spec has, says it for the other two.
  if (spec.settings.precision != train::Precision::bf16) {
    json.erase("precision");
  }
  return json;
}

// Both names of the precision, given as text; empty: not given.
void check_precision(const std::string& precision, const std::string& tf32) {
  const std::optional<base::Value> flag = base::parse_flag(tf32);
  if (!precision.empty() && flag && std::get<bool>(*flag) != (precision == "tf32")) {
    throw std::invalid_argument("precision: expected the same as tf32, its older name, which is " +
                                base::as_text(*flag) + ", got '" + precision + "'");
  }
}

// (1, 1e10, 1e12) is for three objectives; other numbers of objectives need another one.
void fit_preference(train::Settings& settings, bool preference_given) {
  if (!preference_given && settings.preference.size() != settings.objectives.size()) {
    settings.preference.clear();
  }
}

void apply_structure(RunSpec& spec, std::span<const base::Assignment> overrides) {
  for (const auto& [name, value] : overrides) {
    if (decides_settings(name)) {
      set(spec, name, value);
    }
  }
}

std::string name_in(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) {
    throw std::invalid_argument(std::string("a spec: expected a name as \"") + key + "\", got none");
  }
  return found->get<std::string>();
}

}  // namespace

namespace {

enum class Foreign { refuse, pass_over };

// The last value that a setting is given; empty: none.
std::string given(std::span<const base::Assignment> overrides, std::string_view name) {
  std::string value;
  for (const auto& [setting, text] : overrides) {
    value = setting == name ? text : value;
  }
  return value;
}

RunSpec resolved(std::string_view dataset, std::string_view algorithm,
                 std::span<const base::Assignment> overrides, Foreign foreign) {
  static const bool names_are_unique = (require_unique_names(), true);  // checked until it holds
  (void)names_are_unique;
  const data::DatasetEntry& data_entry = data::entry_of(dataset);
  const algorithms::AlgorithmEntry& entry = algorithms::algorithm_named(algorithm);
  RunSpec spec;
  spec.dataset = data::dataset_named(dataset);
  spec.algorithm = entry.name;
  spec.settings.update = entry.update;
  settle(spec.settings);

  // From general to specific; settings that decide which others exist come first.
  base::Assignments defaults;
  const auto add = [&defaults](const base::Assignments& more) {
    defaults.insert(defaults.end(), more.begin(), more.end());
  };
  const std::string batch = given(overrides, "batch");
  bool for_minibatches = false;
  int pretrain_thirds = 0;
  const auto add_for = [&](const std::string& where) {
    for (const algorithms::Defaults& some : entry.defaults) {
      if (some.where == where && (!some.minibatches || (!batch.empty() && batch != "0"))) {
        add(some.settings);
        for_minibatches = for_minibatches || some.minibatches;
        pretrain_thirds = some.pretrain_thirds > 0 ? some.pretrain_thirds : pretrain_thirds;
      }
    }
  };
  add_for("");
  add(data_entry.settings);
  add_for(data_entry.protocol);
  if (!data_entry.variant.empty()) {
    add_for(data_entry.variant);
  }
  apply_structure(spec, defaults);
  apply_structure(spec, overrides);
  for (const auto& [name, value] : defaults) {
    // An option of something that the run does not have is ignored.
    if (!decides_settings(name) && find_setting(spec, name) != nullptr) {
      set(spec, name, value);
    }
  }
  check_precision(given(overrides, "precision"), given(overrides, "tf32"));
  bool preference_given = false;
  for (const auto& [name, value] : overrides) {
    if (foreign == Foreign::pass_over && find_setting(spec, name) == nullptr) {
      (void)known_setting(name);
    } else if (!decides_settings(name)) {
      set(spec, name, value);
    }
    preference_given = preference_given || name == "preference";
  }
  fit_preference(spec.settings, preference_given);
  // Given settings decide over defaults.
  if (pretrain_thirds > 0 && !given(overrides, "steps").empty() && given(overrides, "pretrain").empty()) {
    spec.settings.pretrain = (spec.settings.steps * pretrain_thirds + 2) / 3;
  }
  if (!given(overrides, "balance_lr").empty() && given(overrides, "balance_lr_ratio").empty()) {
    spec.settings.balance_lr_ratio = 0.0;
  }
  if (for_minibatches) {
    if (!given(overrides, "penalty").empty() && given(overrides, "penalties").empty()) {
      spec.settings.penalties.clear();
    }
  }
  return spec;
}

}  // namespace

RunSpec resolve(std::string_view dataset, std::string_view algorithm,
                std::span<const base::Assignment> overrides) {
  return resolved(dataset, algorithm, overrides, Foreign::refuse);
}

RunSpec resolve_in_common(std::string_view dataset, std::string_view algorithm,
                          std::span<const base::Assignment> overrides) {
  return resolved(dataset, algorithm, overrides, Foreign::pass_over);
}

void check_own_objectives(const RunSpec& spec) {
  const train::Settings own = resolve(spec.dataset.name, spec.algorithm).settings;
  const train::Settings& settings = spec.settings;
  if (own.scheme != train::Scheme::linear || settings.scheme != train::Scheme::linear) {
    return;
  }
  // Objectives with a penalty of 0 are recorded but not minimised.
  const auto minimised_by = [](const train::Settings& run) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < run.objectives.size(); ++i) {
      if (i == 0 || i > run.penalties.size() || run.penalties[i - 1] != 0.0) {
        names.insert(run.objectives[i]);
      }
    }
    return names;
  };
  if (minimised_by(settings) != minimised_by(own)) {
    throw std::invalid_argument(
        "objectives: expected '" + base::joined(own.objectives, ",") + "' for algorithm " + spec.algorithm +
        ", got '" + base::joined(settings.objectives, ",") +
        "'; --algorithm pair takes any objectives, and an objective whose penalty is 0 is only recorded");
  }
}

nlohmann::json as_json(const RunSpec& spec) {
  nlohmann::json json = names_of(spec);
  for (const Setting& setting : settings_of(spec)) {
    json[setting.name()] = as_json(setting.value());
  }
  return json;
}

RunSpec spec_from_json(const nlohmann::json& json) {
  if (!json.is_object()) {
    throw std::invalid_argument("a spec: expected a JSON object, got " + json.dump().substr(0, 40));
  }
  base::Assignments structure;
  // Specs that were written have all settings. In others, defaults may depend on settings that are given.
  const bool written = json.contains(in_all_written_specs);
  const std::set<std::string> change_defaults{"batch",     "steps",      "pretrain",        "penalty",
                                              "penalties", "balance_lr", "balance_lr_ratio"};
  for (const auto& [name, value] : json.items()) {
    const std::optional<base::Value> plain = value_from(value);
    if (plain && (decides_settings(name) || (!written && change_defaults.contains(name)))) {
      structure.emplace_back(name, base::as_text(*plain));
    }
  }
  const auto text_at = [&json](const char* key) {
    const auto found = json.find(key);
    const std::optional<base::Value> plain = found == json.end() ? std::nullopt : value_from(*found);
    return plain ? base::as_text(*plain) : std::string();
  };
  check_precision(text_at("precision"), text_at("tf32"));
  RunSpec spec = resolve(name_in(json, "dataset"), name_in(json, "algorithm"), structure);
  for (const auto& [name, value] : json.items()) {
    // Settings of every run before they became options of the solvers and of the model that read them.
    const bool is_relic =
        (name == "epsilon" || (name == "half" && written)) && find_setting(spec, name) == nullptr;
    if (name != "dataset" && name != "algorithm" && !is_relic) {
      set(spec, name, value);
    }
  }
  if (written) {
    set_omitted(spec, json);
  }
  fit_preference(spec.settings, json.contains("preference"));
  return spec;
}

RunSpec spec_from_text(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    throw std::invalid_argument("a spec: expected JSON, got other text");
  }
  return spec_from_json(json);
}

std::string canonical(const RunSpec& spec) {
  return deciding(spec).dump();
}

std::string hash(const RunSpec& spec) {
  return data::sha256(canonical(spec)).substr(0, hash_digits);
}

std::string folder_name(const RunSpec& spec) {
  return spec.dataset.name + "-" + spec.algorithm + "-s" + std::to_string(spec.seed) + "-" + hash(spec);
}

std::string difference(const RunSpec& its, const RunSpec& here) {
  const nlohmann::json theirs = spelled_out(its, Unsaid::keep);
  const nlohmann::json ours = spelled_out(here, Unsaid::keep);
  std::string text;
  std::size_t count = 0;
  for (const auto& [name, value] : theirs.items()) {
    // Settings that only one of the datasets has are skipped: the names of the datasets differ, too.
    if (!ours.contains(name) || value == ours.at(name)) {
      continue;
    }
    if (++count <= differences_shown) {
      text += (text.empty() ? "its " : "; its ") + name + " is " + value.dump() + ", here " +
              ours.at(name).dump() +
              (is_digest(value) && is_digest(ours.at(name)) ? " (the file's content differs)" : "");
    }
  }
  return count > differences_shown ? text + "; and " + std::to_string(count - differences_shown) + " more"
                                   : text;
}

}  // namespace pair::runs

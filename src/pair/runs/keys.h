#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pair/runs/run_spec.h"

// Every setting of a run under one name, in one table: what '--set name=value' changes, what specs hold on
// disk, what sweeps vary and what 'pair list settings' shows.

namespace pair::runs {

// What a setting is about. Those of linear and pair say nothing to the other scheme.
enum class Group { run, data, method, linear, pair, adversary, mixup, model, objectives };

struct Key {
  std::string_view name;
  Group group = Group::run;
  std::string_view summary;  // one line
  std::string accepted;      // "whole numbers from 1 to 1000000000"

  // Whether a run has the setting at all: a dataset's settings are its own, and so are those of an algorithm
  // with an update of its own. Ask before get.
  std::function<bool(const RunSpec&)> applies = [](const RunSpec&) { return true; };
  std::function<nlohmann::json(const RunSpec&)> get;
  // False, the spec unchanged, where the value is not accepted. Use set() below, which says so.
  std::function<bool(RunSpec&, const nlohmann::json&)> try_set;
  // What was typed as JSON of the key's kind, or discarded JSON where it is of another kind.
  std::function<nlohmann::json(std::string_view)> parse;
  // The value that a spec's canonical form leaves unsaid: a setting that came later would else give every run
  // on every disk another name. Empty: none.
  std::string_view unsaid = {};
};

const std::vector<Key>& keys();

// The value in a run of 'pair' on cmnist, or with the dataset or the algorithm that has the setting.
nlohmann::json default_value(const Key& key);

// Throws std::invalid_argument that names the near one and lists them all.
const Key& key_named(std::string_view name);

// Throw std::invalid_argument "steps is 0; accepted are whole numbers from 1 to 1000000000", and for a
// setting that the run does not have. In text, lists are separated by commas.
void set(const Key& key, RunSpec& spec, const nlohmann::json& value);
void set(const Key& key, RunSpec& spec, std::string_view text);
// Else a literal would be JSON as soon as text.
inline void set(const Key& key, RunSpec& spec, const char* text) {
  set(key, spec, std::string_view(text));
}
inline void set(const Key& key, RunSpec& spec, const std::string& text) {
  set(key, spec, std::string_view(text));
}

// The value as it is typed: 1,1e+10,1e+12; auto; true; 0.1.
std::string as_text(const nlohmann::json& value);

}  // namespace pair::runs

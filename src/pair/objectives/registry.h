#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/base/manual.h"
#include "pair/base/options.h"

// Objectives by name. An objective is one source file in this folder with its class, its options and a
// function that returns its entry; registry.cpp has one line for it. CONTRIBUTING.md shows a complete
// example.

namespace pair::objectives {

class Objective;

struct ObjectiveEntry {
  std::string name;
  std::string summary;         // one line
  bool compares = false;       // whether it compares environments: for a single one, the value is 0
  base::Options options = {};  // defaults
  std::function<std::unique_ptr<Objective>(const base::Options&)> make = {};
  base::Manual manual = {};  // for its page in docs/objectives
};

enum class Compares { nothing, environments };

// An entry for an objective without options: make() -> std::unique_ptr<...>.
template <class Make>
ObjectiveEntry objective_entry(std::string name, std::string summary, Make make,
                               Compares compares = Compares::nothing) {
  return {std::move(name),
          std::move(summary),
          compares == Compares::environments,
          {},
          [make](const base::Options& /*options*/) -> std::unique_ptr<Objective> { return make(); },
          {}};
}

// The same with options: make(const O&), O described by describe(base::Fields<O>&).
template <class O, class Make>
ObjectiveEntry objective_entry(std::string name, std::string summary, Make make,
                               Compares compares = Compares::nothing) {
  return {
      std::move(name),
      std::move(summary),
      compares == Compares::environments,
      base::Options::of<O>(),
      [make](const base::Options& options) -> std::unique_ptr<Objective> { return make(options.as<O>()); },
      {}};
}

// All objectives, in the order of lists.
const std::vector<ObjectiveEntry>& objectives();

// Adds an objective that is not part of this library (cli/extensions.h). Call it before anything else uses
// the list. Throws std::invalid_argument for a name that exists already, std::logic_error if the list has
// been used.
void add_objective(ObjectiveEntry entry);

// The needs of an objective with these options (objective.h), without LibTorch's headers.
struct ObjectiveTraits {
  bool needs_network = false;
  bool remembers_environments = false;
  bool replayable = true;
  bool of_features = false;
};
ObjectiveTraits traits_of(const ObjectiveEntry& entry);

// Throws std::invalid_argument that suggests the nearest name and lists all.
const ObjectiveEntry& objective_named(std::string_view name);

// The objective's options with some values changed, by name and text: options_of("fishr", {{"fishr_ema",
// "0.9"}}). Throws std::invalid_argument for unknown names and invalid values.
base::Options options_of(std::string_view objective, const base::Assignments& changes = {});

// Throws std::invalid_argument for an unknown name and for options out of range.
std::unique_ptr<Objective> make_objective(std::string_view name, const base::Options& options);
std::unique_ptr<Objective> make_objective(std::string_view name);  // with default options

}  // namespace pair::objectives

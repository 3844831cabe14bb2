#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/options.h"
#include "pair/runs/run_spec.h"

// The settings of a run by name, for '--set name=value', specs on disk, sweeps and 'pair list settings'.
// Nothing is declared here: a run has its own settings (seed, device, ...), those of training
// (train/settings.h), and the options of its dataset, objectives, model and algorithm.

namespace pair::runs {

// One setting of a run, as a view into the spec.
struct Setting {
  const base::Field* field = nullptr;
  const void* owner = nullptr;  // the struct that has the field
  bool of_run = false;          // about how a run is done (seed, device, records), not what is trained

  [[nodiscard]] const std::string& name() const { return field->name; }
  [[nodiscard]] base::Value value() const { return field->get(owner); }
};

// In a fixed order: the run's own settings, the dataset's, those of training, then those of objectives, model
// and update. The views are valid until the spec is changed.
std::vector<Setting> settings_of(const RunSpec& spec);

// Whether the setting decides which others a run has: objectives, model and scheme.
bool decides_settings(std::string_view name);

// Whether the run's scheme uses the setting: PAIR-o does not use penalty, and the linear scheme has no
// solver.
bool is_read(const RunSpec& spec, const base::Field& field);

// Null if the run has no such setting. Valid as above.
const base::Field* find_setting(const RunSpec& spec, std::string_view name);

// The value as JSON, or as typed by a user. Throws std::invalid_argument if the run has no such setting.
nlohmann::json value_of(const RunSpec& spec, std::string_view name);
std::string text_of(const RunSpec& spec, std::string_view name);

// Throws std::invalid_argument, such as "steps: expected integers from 1 to 1000000000, got '0'", also for a
// name that is unknown or belongs to something that this run does not have. In text, lists are separated by
// commas. If objectives or the model change, their options become the defaults.
void set(RunSpec& spec, std::string_view name, const nlohmann::json& value);
void set(RunSpec& spec, std::string_view name, std::string_view text);
// Otherwise a literal could be JSON as well as text.
inline void set(RunSpec& spec, std::string_view name, const char* text) {
  set(spec, name, std::string_view(text));
}
inline void set(RunSpec& spec, std::string_view name, const std::string& text) {
  set(spec, name, std::string_view(text));
}

// All settings that some run has, for lists.
struct KnownSetting {
  std::string name;
  std::string summary;
  std::string accepted;
  std::string default_value;  // on cmnist with pair, or with the extension it belongs to
  std::string belongs_to;     // "objective fishr"; empty: every run
};
const std::vector<KnownSetting>& known_settings();
// Throws std::invalid_argument that suggests the nearest name if no run has such a setting.
void check_known(std::string_view name);

nlohmann::json as_json(const base::Value& value);
// None for values that no setting can have: null, objects, lists of mixed types.
std::optional<base::Value> value_from(const nlohmann::json& json);

}  // namespace pair::runs

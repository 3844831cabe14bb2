#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/options.h"
#include "pair/runs/run_spec.h"

// The settings of a run by name: what '--set name=value' changes, what specs hold on disk, what sweeps vary
// and what 'pair list settings' shows. Nothing is declared here: a run has its own settings (run_fields.h),
// those of training (train/settings.h), and the options of its dataset, objectives, solver, model and
// algorithm. known_settings.h lists those of all runs.

namespace pair::runs {

// One setting of a run, as a view into the spec.
struct Setting {
  const base::Field* field = nullptr;
  const void* owner = nullptr;  // the struct that the field belongs to
  bool of_run = false;          // how a run is done (seed, device, records), rather than what is trained
  // The only scheme that reads it; empty: all schemes do.
  std::string_view scheme = {};

  [[nodiscard]] const std::string& name() const { return field->name; }
  [[nodiscard]] base::Value value() const { return field->get(owner); }
};

// In a fixed order: the run's own, the dataset's, training's, then those of objectives, solver, model and
// update. The views are valid while the spec is not changed.
std::vector<Setting> settings_of(const RunSpec& spec);

// Whether the setting decides which others a run has: objectives, solver, model and scheme.
bool decides_settings(std::string_view name);

// Null if the run has no such setting. Valid as above.
const base::Field* find_setting(const RunSpec& spec, std::string_view name);

// Whether the run's scheme reads the setting: PAIR-o does not read penalty, and only PAIR-o reads a solver's
// options. False if the run has no such setting.
bool is_read(const RunSpec& spec, std::string_view name);

// The value, as JSON or as the user would type it. Throw std::invalid_argument if the run has no such
// setting.
nlohmann::json value_of(const RunSpec& spec, std::string_view name);
std::string text_of(const RunSpec& spec, std::string_view name);

// Throw std::invalid_argument "steps: expected an integer from 1 to 1000000000, got '0'", and for a name that
// is unknown or belongs to an extension that this run does not have. In text, lists are separated by commas.
// If objectives, the solver or the model change, their options become the defaults.
void set(RunSpec& spec, std::string_view name, const nlohmann::json& value);
void set(RunSpec& spec, std::string_view name, std::string_view text);
// Otherwise a literal could be JSON as well as text.
inline void set(RunSpec& spec, std::string_view name, const char* text) {
  set(spec, name, std::string_view(text));
}
inline void set(RunSpec& spec, std::string_view name, const std::string& text) {
  set(spec, name, std::string_view(text));
}

}  // namespace pair::runs

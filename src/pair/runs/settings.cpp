#include "pair/runs/settings.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "pair/runs/known_settings.h"
#include "pair/runs/run_fields.h"
#include "pair/runs/value_json.h"

namespace pair::runs {
namespace {

// Fields of one struct in a spec.
struct Group {
  const std::vector<base::Field>* fields = nullptr;
  const void* owner = nullptr;
  bool of_run = false;
  bool of_solver = false;

  [[nodiscard]] Setting setting(const base::Field& field) const {
    return {&field, owner, of_run || !field.decides || field.of_run,
            of_solver ? to_string(train::Scheme::pair) : std::string_view(field.group)};
  }
};

// Calls visit with each group of a run's settings, in the order of settings_of.
template <class Visit>
void visit_groups(const RunSpec& spec, Visit visit) {
  const auto visit_options = [&visit](const base::Options& options, bool of_solver = false) {
    visit(Group{&options.fields(), options.address(), false, of_solver});
  };
  visit(Group{&run_fields(), &spec, true, false});
  visit_options(spec.dataset.options);
  visit(Group{&train::settings_fields(), &spec.settings, false, false});
  for (const std::string& name : spec.settings.objectives) {
    const auto found = spec.settings.objective_options.find(name);
    if (found != spec.settings.objective_options.end()) {
      visit_options(found->second);
    }
  }
  visit_options(spec.settings.solver_options, /*of_solver=*/true);
  visit_options(spec.settings.model_options);
  visit_options(spec.settings.update.options);
}

// Large sweeps resolve many settings by name, so this does not build the list of all.
std::optional<Setting> lookup(const RunSpec& spec, std::string_view name) {
  std::optional<Setting> found;
  visit_groups(spec, [&](const Group& group) {
    for (const base::Field& field : *group.fields) {
      if (!found && field.name == name) {
        found = group.setting(field);
      }
    }
  });
  return found;
}

Setting setting_in(const RunSpec& spec, std::string_view name) {
  const std::optional<Setting> setting = lookup(spec, name);
  if (!setting) {
    throw std::invalid_argument(std::string(name) + " does not apply to " + spec.dataset.name + " with " +
                                spec.algorithm + "; it belongs to " + known_setting(name).belongs_to);
  }
  return *setting;
}

// The caller may change the spec; settings_of returns views for reading.
void* writable(const Setting& setting) {
  return const_cast<void*>(setting.owner);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

void check_scheme(const RunSpec& spec, std::string_view name) {
  const bool own = spec.settings.scheme == train::Scheme::own;
  if (name == "scheme" && own != spec.settings.update.defined()) {
    throw std::invalid_argument("scheme: expected " + std::string(own ? "linear or pair" : "own") + " for " +
                                spec.algorithm + ", got '" + std::string(to_string(spec.settings.scheme)) +
                                "'");
  }
}

void after_change(RunSpec& spec, std::string_view name) {
  if (decides_settings(name)) {
    settle(spec.settings);
    check_scheme(spec, name);
  }
}

}  // namespace

std::vector<Setting> settings_of(const RunSpec& spec) {
  std::vector<Setting> settings;
  settings.reserve(128);
  visit_groups(spec, [&settings](const Group& group) {
    for (const base::Field& field : *group.fields) {
      settings.push_back(group.setting(field));
    }
  });
  return settings;
}

bool decides_settings(std::string_view name) {
  return name == "objectives" || name == "solver" || name == "model" || name == "scheme";
}

const base::Field* find_setting(const RunSpec& spec, std::string_view name) {
  const std::optional<Setting> setting = lookup(spec, name);
  return setting ? setting->field : nullptr;
}

bool is_read(const RunSpec& spec, std::string_view name) {
  const std::optional<Setting> setting = lookup(spec, name);
  return setting && (setting->scheme.empty() || setting->scheme == to_string(spec.settings.scheme) ||
                     (spec.settings.update.reads_penalty && name == "penalty"));
}

nlohmann::json value_of(const RunSpec& spec, std::string_view name) {
  return as_json(setting_in(spec, name).value());
}

std::string text_of(const RunSpec& spec, std::string_view name) {
  return base::as_text(setting_in(spec, name).value());
}

void set(RunSpec& spec, std::string_view name, const nlohmann::json& value) {
  const Setting setting = setting_in(spec, name);
  const std::optional<base::Value> plain = value_from(value);
  if (!plain) {
    throw std::invalid_argument(setting.name() + ": expected " + setting.field->expectation() + ", got " +
                                value.dump());
  }
  base::set_value(*setting.field, writable(setting), *plain);
  after_change(spec, name);
}

void set(RunSpec& spec, std::string_view name, std::string_view text) {
  const Setting setting = setting_in(spec, name);
  base::set_text(*setting.field, writable(setting), text);
  after_change(spec, name);
}

}  // namespace pair::runs

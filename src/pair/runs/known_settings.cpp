#include "pair/runs/known_settings.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "pair/algorithms/registry.h"
#include "pair/base/choices.h"
#include "pair/base/names.h"
#include "pair/models/registry.h"
#include "pair/moo/registry.h"
#include "pair/objectives/registry.h"
#include "pair/runs/run_spec.h"
#include "pair/runs/settings.h"

namespace pair::runs {
namespace {

// A setting with its default in a run that has it. kind and extension: those it belongs to; empty: every run.
// Extensions of one kind may share a setting: epsilon is that of all kinds of EPO.
void add_known(std::vector<KnownSetting>& known, std::set<std::string>& seen, const base::Field& field,
               const std::string& value, const std::string& kind, const std::string& extension) {
  const bool is_new = seen.insert(field.name).second;
  if (is_new) {
    known.push_back({field.name, field.summary, field.accepted, value,
                     kind.empty() ? "" : kind + " " + extension, field.path});
  }
  KnownSetting& setting = is_new ? known.back() : *std::ranges::find(known, field.name, &KnownSetting::name);
  // A run that has the extension also has settings of other kinds, and those of every run.
  if (kind.empty() || !setting.belongs_to.starts_with(kind + " ")) {
    return;
  }
  setting.belongs_to += is_new ? "" : ", " + extension;
  setting.declarations.push_back({extension, field.accepted, value});
}

void add_known(std::vector<KnownSetting>& known, std::set<std::string>& seen, const RunSpec& spec,
               const std::string& kind, const std::string& extension) {
  for (const Setting& setting : settings_of(spec)) {
    add_known(known, seen, *setting.field, base::as_text(setting.value()), kind, extension);
  }
}

void add_known_of_solver(std::vector<KnownSetting>& known, std::set<std::string>& seen,
                         const std::string& solver) {
  const base::Options options = moo::training_options_of(solver);
  for (const base::Field& field : options.fields()) {
    add_known(known, seen, field, base::as_text(options.get(field)), "solver", solver);
  }
}

// The setting whose summary begins with the words of a name that has several: 'learning_rate' is lr, the
// "learning rate of all steps". One word is too little: 'weight' begins several summaries. Null if there is none.
const KnownSetting* setting_summarised_as(std::string_view name) {
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  std::ranges::replace(words, '-', ' ');
  if (words.find(' ') == std::string::npos) {
    return nullptr;
  }
  const auto found = std::ranges::find_if(known_settings(), [&words](const KnownSetting& known) {
    return known.summary.starts_with(words + " ");
  });
  return found == known_settings().end() ? nullptr : &*found;
}

}  // namespace

const std::vector<KnownSetting>& known_settings() {
  static const std::vector<KnownSetting> all = [] {
    std::vector<KnownSetting> known;
    std::set<std::string> seen;
    const RunSpec usual = resolve("cmnist", "pair");
    RunSpec plain = usual;
    plain.dataset.options = {};
    plain.settings.objectives = {"erm"};
    plain.settings.solver_options = {};
    plain.settings.model_options = {};
    add_known(known, seen, plain, "", "");
    for (KnownSetting& setting : known) {
      setting.default_value = text_of(usual, setting.name);
    }
    for (const moo::SolverEntry& entry : moo::solvers()) {
      add_known_of_solver(known, seen, entry.name);
    }
    for (const data::DatasetEntry& entry : data::datasets()) {
      RunSpec spec = resolve(entry.name, "erm");
      spec.settings.model_options = {};  // of the model, below
      add_known(known, seen, spec, "dataset", entry.name);
    }
    const RunSpec erm = resolve("cmnist", "erm");
    for (const models::ModelEntry& entry : models::models()) {
      RunSpec spec = erm;
      spec.settings.model_options = entry.options;
      add_known(known, seen, spec, "model", entry.name);
    }
    for (const objectives::ObjectiveEntry& entry : objectives::objectives()) {
      RunSpec spec = erm;
      spec.settings.objectives = {"erm", entry.name};
      settle(spec.settings);
      add_known(known, seen, spec, "objective", entry.name);
    }
    for (const algorithms::AlgorithmEntry& entry : algorithms::algorithms()) {
      RunSpec spec = erm;
      spec.settings.update = entry.update;
      add_known(known, seen, spec, "algorithm", entry.name);
    }
    return known;
  }();
  return all;
}

const KnownSetting& known_setting(std::string_view name) {
  const std::vector<KnownSetting>& all = known_settings();
  if (const auto found = std::ranges::find(all, name, &KnownSetting::name); found != all.end()) {
    return *found;
  }
  std::vector<std::string_view> names;
  for (const KnownSetting& known : all) {
    names.push_back(known.name);
  }
  if (const KnownSetting* const meant = setting_summarised_as(name);
      meant != nullptr && base::nearest(name, names).empty()) {
    throw std::invalid_argument("unknown setting '" + base::printable(name) + "'; did you mean '" +
                                meant->name +
                                "': " + meant->summary.substr(0, meant->summary.find_first_of(";(")) + "?");
  }
  // Only the nearest names: there are too many to list.
  throw std::invalid_argument(base::unknown_name("setting", name, base::nearest_names(name, names, 3)) +
                              ", ...; 'pair list settings' has all");
}

}  // namespace pair::runs

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "pair/algorithms/registry.h"
#include "pair/base/tables.h"
#include "pair/cli/reference.h"
#include "pair/cli/train_commands.h"
#include "pair/data/registry.h"
#include "pair/models/registry.h"
#include "pair/objectives/registry.h"
#include "pair/runs/known_settings.h"
#include "pair/runs/settings.h"
#include "pair/sweep/domainbed_registry.h"
#include "pair/sweep/hparams.h"

namespace pair::cli {
namespace {

// For any entries with names and summaries.
template <class Entries>
std::vector<Listed> listed(const Entries& entries) {
  std::vector<Listed> all;
  for (const auto& entry : entries) {
    all.push_back({entry.name, entry.summary});
  }
  return all;
}

// The headings of the list of settings, in order.
constexpr std::array<std::string_view, 9> groups{
    "Run", "Training", "PAIR-o", "Fixed penalties", "Solvers", "Data", "Models", "Objectives", "Algorithms"};

// The group of each setting. Those of an extension are listed by its kind.
std::map<std::string_view, std::string> groups_of_settings() {
  const std::map<std::string_view, std::string> by_kind{{"dataset", "Data"},
                                                        {"model", "Models"},
                                                        {"objective", "Objectives"},
                                                        {"algorithm", "Algorithms"},
                                                        {"solver", "Solvers"}};
  const runs::RunSpec spec = runs::resolve("cmnist", "pair");
  std::map<std::string, std::string> common;
  for (const runs::Setting& setting : runs::settings_of(spec)) {
    common.emplace(setting.name(), setting.scheme == "pair"     ? "PAIR-o"
                                   : setting.scheme == "linear" ? "Fixed penalties"
                                   : setting.of_run             ? "Run"
                                                                : "Training");
  }
  std::map<std::string_view, std::string> by_name;
  for (const runs::KnownSetting& known : runs::known_settings()) {
    const auto kind = by_kind.find(std::string_view(known.belongs_to).substr(0, known.belongs_to.find(' ')));
    by_name.emplace(known.name, kind != by_kind.end() ? kind->second : common.at(known.name));
  }
  return by_name;
}

// By group, in the order of the groups.
void sort_by_group(std::vector<Listed>& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const Listed& a, const Listed& b) {
    return std::find(groups.begin(), groups.end(), a.group) <
           std::find(groups.begin(), groups.end(), b.group);
  });
}

using Declaration = runs::KnownSetting::Declaration;

// The extensions that declare each value, in the order of their first.
std::vector<std::pair<std::string, std::vector<std::string>>> extensions_by(
    std::string Declaration::*value, const std::vector<Declaration>& declarations) {
  std::vector<std::pair<std::string, std::vector<std::string>>> extensions;
  for (const Declaration& declaration : declarations) {
    const std::string text = (declaration.*value).empty() ? "none" : declaration.*value;
    auto same = std::ranges::find_if(extensions, [&text](const auto& entry) { return entry.first == text; });
    if (same == extensions.end()) {
      same = extensions.insert(same, {text, {}});
    }
    same->second.push_back(declaration.extension);
  }
  return extensions;
}

// "0 (cmnist, halves); 0.2 (images, table)"; empty if they all declare one value.
std::string differing(const runs::KnownSetting& known, std::string Declaration::*value) {
  const auto extensions = extensions_by(value, known.declarations);
  return extensions.size() < 2 ? "" : base::joined(extensions, "; ", [](const auto& entry) {
    return entry.first + " (" + base::joined(entry.second) + ")";
  });
}

// "0 or 0.2".
std::string default_text(const runs::KnownSetting& known) {
  const auto extensions = extensions_by(&Declaration::default_value, known.declarations);
  return extensions.size() < 2
             ? known.default_value
             : base::joined(extensions, " or ", [](const auto& entry) { return entry.first; });
}

std::vector<Listed> settings() {
  const std::map<std::string_view, std::string> by_name = groups_of_settings();
  std::vector<Listed> entries;
  for (const runs::KnownSetting& known : runs::known_settings()) {
    const std::string accepted = differing(known, &Declaration::accepted);
    entries.push_back({known.name,
                       known.summary,
                       {{"default", default_text(known)},
                        {"accepted", accepted.empty() ? known.accepted : accepted},
                        {"of", known.belongs_to},
                        {"defaults", differing(known, &Declaration::default_value)}},
                       by_name.at(known.name)});
  }
  sort_by_group(entries);
  return entries;
}

// Those that a run of the algorithm on the dataset reads, with its defaults.
std::vector<Listed> settings_of_runs(const ListFilter& filter) {
  const runs::RunSpec spec = runs::resolve(filter.dataset.empty() ? "cmnist" : filter.dataset,
                                           filter.algorithm.empty() ? "pair" : filter.algorithm);
  const std::map<std::string_view, std::string> by_name = groups_of_settings();
  std::vector<Listed> entries;
  for (const runs::Setting& setting : runs::settings_of(spec)) {
    if (runs::is_read(spec, setting.name())) {
      entries.push_back({setting.name(),
                         train::meaning(*setting.field, spec.settings.scheme),
                         {{"default", base::as_text(setting.value())}, {"accepted", setting.field->accepted}},
                         by_name.at(setting.name())});
    }
  }
  sort_by_group(entries);
  return entries;
}

std::vector<Listed> algorithms() {
  std::vector<Listed> entries;
  for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
    entries.push_back({algorithm.name, algorithm.summary, {{"domainbed", algorithm.domainbed}}});
  }
  return entries;
}

// One entry per drawn setting and distribution, with all datasets that share it.
std::vector<Listed> hparams(const ListFilter& filter) {
  const sweep::Search search =
      filter.search.empty() ? sweep::Search::domainbed : sweep::search_named(filter.search);
  const std::string only = filter.algorithm.empty() ? "" : algorithms::algorithm_named(filter.algorithm).name;
  const std::string on = filter.dataset.empty() ? "" : data::dataset_named(filter.dataset).name;
  std::vector<Listed> entries;
  for (const algorithms::AlgorithmEntry& algorithm : algorithms::algorithms()) {
    if (!only.empty() && algorithm.name != only) {
      continue;
    }
    std::vector<Listed> own;
    for (const data::DatasetEntry& dataset : data::datasets()) {
      if (!on.empty() && dataset.name != on) {
        continue;
      }
      for (const sweep::Hparam& hparam : sweep::hparams_of(dataset.name, algorithm.name, search)) {
        const Listed entry{algorithm.name + "." + hparam.key,
                           base::as_text(hparam.distribution),
                           {{"default", hparam.default_value}, {"by", hparam.source}, {"on", ""}}};
        const auto same = [&entry](const Listed& other) {
          return other.name == entry.name && other.summary == entry.summary &&
                 other.details[0] == entry.details[0] && other.details[1] == entry.details[1];
        };
        auto found = std::find_if(own.begin(), own.end(), same);
        found = found == own.end() ? own.insert(found, entry) : found;
        found->details[2].second += (found->details[2].second.empty() ? "" : ", ") + dataset.name;
      }
    }
    entries.insert(entries.end(), own.begin(), own.end());
  }
  return entries;
}

// {"hparams": what DomainBed draws, by its names, "settings": what a sweep's run gets, ...}.
void write_hparams_draw(const DrawRequest& request, bool json, std::ostream& out) {
  const algorithms::AlgorithmEntry& algorithm = algorithms::algorithm_named(request.algorithm);
  const std::string dataset = data::dataset_named(request.dataset).name;
  const base::Assignments drawn =
      sweep::draw_hparams(sweep::hparams_of(dataset, algorithm.name), request.seed,
                          static_cast<std::uint64_t>(request.trial_seed));
  nlohmann::ordered_json object{{"dataset", dataset},
                                {"algorithm", algorithm.name},
                                {"seed", request.seed},
                                {"trial_seed", request.trial_seed}};
  if (!algorithm.domainbed.empty() && sweep::is_domainbed_dataset(dataset)) {
    object["hparams"] =
        sweep::registered_hparams(dataset, algorithm.domainbed, request.seed, request.trial_seed);
  }
  object["settings"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : drawn) {
    object["settings"][name] = value;
  }
  if (json) {
    out << object.dump(2) << '\n';
    return;
  }
  base::Rows rows;
  for (const auto& [name, value] : drawn) {
    rows.push_back({name, value});
  }
  out << base::aligned(rows, {.indent = "", .left = 2});
}

}  // namespace

std::vector<ListKind> train_lists(const Context& /*context*/) {
  std::vector<ListKind> kinds = training_kinds();
  for (ListKind& kind : kinds) {
    if (kind.name == "datasets") {
      kind.entries = [] { return listed(data::datasets()); };
    } else if (kind.name == "algorithms") {
      kind.entries = algorithms;
      kind.reference = algorithms_reference;
    } else if (kind.name == "objectives") {
      kind.entries = [] { return listed(objectives::objectives()); };
      kind.reference = objectives_reference;
    } else if (kind.name == "models") {
      kind.entries = [] { return listed(models::models()); };
    } else if (kind.name == "settings") {
      kind.entries = settings;
      kind.filtered = settings_of_runs;
    } else {
      kind.entries = [] { return hparams({}); };
      kind.filtered = hparams;
      kind.write_draw = write_hparams_draw;
    }
  }
  return kinds;
}

}  // namespace pair::cli

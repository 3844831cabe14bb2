#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/base/options.h"
#include "pair/data/environment.h"
#include "pair/data/protocols.h"
#include "pair/data/registry.h"
#include "pair/data/wilds.h"

// Common parts of the declarations of WILDS' datasets for training: images (wilds_data.cpp) and texts
// (wilds_text_data.cpp).

namespace pair::data {

// The options that all have. O has data_root, environments and scored (wilds_data.h).
template <class O>
void describe_wilds(base::Fields<O>& field) {
  field
      .text("data_root", &O::data_root, "folders that hold those of WILDS' datasets",
            "folder with WILDS' datasets, in which camelyon17 is the folder camelyon17_v1.0")
      .names_folder();
  field.choice("wilds_environments", &O::environments,
               {{"paper", WildsEnvironments::paper}, {"wilds", WildsEnvironments::wilds}},
               "environments: those of the paper's experiments, or the groups of WILDS' own script");
  field.names("score_splits", &O::scored, "splits among id_val, val, id_test and test, with val and test",
              "splits that records have scores of", [](const std::vector<std::string>& names) {
                const auto has = [&](const char* name) { return std::ranges::count(names, name) == 1; };
                return has("val") && has("test") && std::ranges::all_of(names, [](const std::string& name) {
                         return name == "id_val" || name == "val" || name == "id_test" || name == "test";
                       });
              });
}

// A dataset's settings, and those that are the same for all: penalties of 1 after ERM steps, and PAIR-o with
// the product of half batches and gradients of the head, without guards that the paper's code does not have.
base::Assignments with_common_settings(base::Assignments settings);

// Throws std::invalid_argument unless the dataset's folder is there.
void check_wilds_root(const WildsKind& kind, const std::string& data_root);

// The training samples of each environment that has any, ascending.
std::vector<std::vector<std::size_t>> training_samples(const WildsSet& set, const WildsGroups& groups);

// For EnvironmentSet::more_scores: WILDS' scores over a whole split, such as acc_wg, under "val_acc_wg".
// Those of single groups are left out. The environment's samples are their numbers in `files`.
std::function<std::vector<std::pair<std::string, double>>(const Environment&, std::span<const double>)>
wilds_scores(const WildsKind& kind, std::shared_ptr<const WildsSet> files);

// The declaration of a dataset, without `check` and `make`. Its variant is its name.
// Training environments have no scores of their own, so that names are known without the files.
template <class O>
DatasetEntry wilds_declaration(const WildsKind& kind, O defaults) {
  DatasetEntry entry{.name = std::string(kind.name),
                     .summary = std::string(kind.summary) + ", read from --data-root"};
  entry.options = base::Options::of(std::move(defaults));
  entry.protocol = wilds_protocol.name;
  entry.variant = entry.name;
  entry.settings = with_common_settings(kind.training.settings);
  entry.metrics = kind.training.metrics;
  entry.selection = "val_" + kind.metrics.front();
  entry.environments = [](const base::Options& options) { return options.as<O>().scored; };
  entry.test_environments = [](const base::Options& options) {
    const auto& scored = options.as<O>().scored;
    return std::vector<std::int64_t>{std::ranges::find(scored, "test") - scored.begin()};
  };
  return entry;
}

}  // namespace pair::data

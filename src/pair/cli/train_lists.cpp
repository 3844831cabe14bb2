#include "pair/cli/train_lists.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "pair/base/algorithm_names.h"
#include "pair/data/dataset_spec.h"
#include "pair/runs/algorithms.h"
#include "pair/runs/keys.h"
#include "pair/sweep/hparams.h"

namespace pair::cli {
namespace {

std::vector<Listed> settings() {
  std::vector<Listed> entries;
  for (const runs::Key& key : runs::keys()) {
    entries.push_back({std::string(key.name),
                       std::string(key.summary),
                       {{"default", runs::as_text(runs::default_value(key))}, {"accepted", key.accepted}}});
  }
  return entries;
}

std::vector<Listed> algorithms() {
  std::vector<Listed> entries;
  for (const runs::AlgorithmInfo& algorithm : runs::algorithms()) {
    entries.push_back({std::string(algorithm.name),
                       std::string(algorithm.summary),
                       {{"domainbed", std::string(base::domainbed_algorithm(algorithm.name))}}});
  }
  return entries;
}

// A setting that is drawn, once for all datasets on which it is drawn alike.
std::vector<Listed> hparams(sweep::Search search) {
  std::vector<Listed> entries;
  for (const runs::AlgorithmInfo& algorithm : runs::algorithms()) {
    std::vector<Listed> own;
    for (const data::DatasetInfo& dataset : data::datasets()) {
      for (const sweep::Hparam& hparam : sweep::hparams_of(dataset.name, algorithm.name, search)) {
        const Listed entry{
            std::string(algorithm.name) + "." + std::string(hparam.key),
            sweep::as_text(hparam.distribution),
            {{"default", hparam.default_value}, {"by", std::string(hparam.source)}, {"on", ""}}};
        const auto same = [&entry](const Listed& other) {
          return other.name == entry.name && other.summary == entry.summary &&
                 other.details[0] == entry.details[0] && other.details[1] == entry.details[1];
        };
        auto found = std::find_if(own.begin(), own.end(), same);
        found = found == own.end() ? own.insert(found, entry) : found;
        found->details[2].second +=
            (found->details[2].second.empty() ? "" : ", ") + std::string(dataset.name);
      }
    }
    entries.insert(entries.end(), own.begin(), own.end());
  }
  return entries;
}

}  // namespace

std::vector<ListKind> lists_for_training(Entries objectives, Entries models) {
  return {
      {"datasets", "data to train and test on: for 'pair train --dataset'",
       [] { return listed(data::datasets()); }},
      {"algorithms", "methods of training: for 'pair train --algorithm'", algorithms},
      {"objectives", "what can be minimised: for 'pair train --objectives'", std::move(objectives)},
      {"models", "predictors: for 'pair train --set model=...'", std::move(models)},
      {"settings", "all of a run's settings: for 'pair train --set'; defaults are those of pair on cmnist",
       settings},
      {"hparams", "what 'pair sweep' draws settings from, an algorithm and a dataset each",
       [] { return hparams(sweep::Search::domainbed); },
       [](const std::string& search) { return hparams(sweep::search_named(search)); }},
  };
}

}  // namespace pair::cli

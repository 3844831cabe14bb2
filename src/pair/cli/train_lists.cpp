#include <nlohmann/json.hpp>

#include "pair/cli/train_commands.h"
#include "pair/data/dataset_spec.h"
#include "pair/runs/algorithms.h"
#include "pair/runs/catalog.h"
#include "pair/runs/keys.h"

namespace pair::cli {
namespace {

template <class Infos>
std::vector<Listed> listed(const Infos& infos) {
  std::vector<Listed> entries;
  for (const auto& info : infos) {
    entries.push_back({std::string(info.name), std::string(info.summary)});
  }
  return entries;
}

std::vector<Listed> settings() {
  std::vector<Listed> entries;
  for (const runs::Key& key : runs::keys()) {
    entries.push_back({std::string(key.name),
                       std::string(key.summary),
                       {{"default", runs::as_text(runs::default_value(key))}, {"accepted", key.accepted}}});
  }
  return entries;
}

}  // namespace

std::vector<ListKind> train_lists() {
  return {
      {"datasets", "data to train and test on: for 'pair train --dataset'",
       [] { return listed(data::datasets()); }},
      {"algorithms", "methods of training: for 'pair train --algorithm'",
       [] { return listed(runs::algorithms()); }},
      {"objectives", "what can be minimised: for 'pair train --objectives'",
       [] { return listed(runs::known_objectives()); }},
      {"models", "predictors: for 'pair train --set model=...'", [] { return listed(runs::known_models()); }},
      {"settings", "all of a run's settings: for 'pair train --set'; defaults are those of pair on cmnist",
       settings},
  };
}

}  // namespace pair::cli

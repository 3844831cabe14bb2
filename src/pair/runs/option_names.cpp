#include "pair/runs/option_names.h"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/algorithms/registry.h"
#include "pair/data/registry.h"
#include "pair/models/registry.h"
#include "pair/moo/registry.h"
#include "pair/objectives/registry.h"
#include "pair/runs/run_fields.h"
#include "pair/train/settings.h"

namespace pair::runs {
namespace {

// Groups with the same kind are not used together.
struct Declared {
  std::string kind;
  std::string owner;  // "objective fishr"
};

class Names {
 public:
  void add(const std::string& name, const Declared& by) {
    const auto [found, is_new] = seen_.emplace(name, by);
    if (!is_new && (found->second.kind != by.kind || found->second.owner == by.owner)) {
      throw std::invalid_argument(by.owner +
                                  ": expected names of options that no other part of a run has, got '" +
                                  name + "', which belongs to " + found->second.owner);
    }
  }
  void add(const std::vector<base::Field>& fields, const Declared& by) {
    for (const base::Field& field : fields) {
      add(field.name, by);
    }
  }

 private:
  std::map<std::string, Declared> seen_;
};

}  // namespace

void require_unique_names() {
  Names names;
  const Declared every{"run", "every run"};
  names.add("dataset", every);
  names.add("algorithm", every);
  names.add(run_fields(), every);
  names.add(train::settings_fields(), every);
  // A run may have several objectives, so each is a kind of its own.
  for (const objectives::ObjectiveEntry& entry : objectives::objectives()) {
    const std::string owner = "objective " + entry.name;
    names.add(entry.options.fields(), {owner, owner});
  }
  for (const data::DatasetEntry& entry : data::datasets()) {
    names.add(entry.options.fields(), {"dataset", "dataset " + entry.name});
  }
  for (const moo::SolverEntry& entry : moo::solvers()) {
    names.add(moo::training_options_of(entry.name).fields(), {"solver", "solver " + entry.name});
  }
  for (const models::ModelEntry& entry : models::models()) {
    names.add(entry.options.fields(), {"model", "model " + entry.name});
  }
  for (const algorithms::AlgorithmEntry& entry : algorithms::algorithms()) {
    names.add(entry.update.options.fields(), {"algorithm", "algorithm " + entry.name});
  }
}

}  // namespace pair::runs

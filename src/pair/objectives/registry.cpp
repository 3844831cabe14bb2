#include "pair/objectives/registry.h"

#include <stdexcept>
#include <utility>

#include "pair/base/registry.h"
#include "pair/objectives/objective.h"

namespace pair::objectives {

// Not in an anonymous namespace: the functions declared inside would be members of it.
static base::Registry<ObjectiveEntry>& objective_registry() {
  static base::Registry<ObjectiveEntry> all("objective", [] {
    std::vector<ObjectiveEntry> list;
    // clang-format off
    // One line per objective, in the order of lists.
    { extern ObjectiveEntry erm(); list.push_back(erm()); }
    { extern ObjectiveEntry irmv1(); list.push_back(irmv1()); }
    { extern ObjectiveEntry vrex(); list.push_back(vrex()); }
    { extern ObjectiveEntry ib(); list.push_back(ib()); }
    { extern ObjectiveEntry fishr(); list.push_back(fishr()); }
    { extern ObjectiveEntry clove(); list.push_back(clove()); }
    { extern ObjectiveEntry iga(); list.push_back(iga()); }
    { extern ObjectiveEntry sd(); list.push_back(sd()); }
    { extern ObjectiveEntry group_dro(); list.push_back(group_dro()); }
    { extern ObjectiveEntry coral(); list.push_back(coral()); }
    { extern ObjectiveEntry mmd(); list.push_back(mmd()); }
    { extern ObjectiveEntry worst_risk(); list.push_back(worst_risk()); }
    { extern ObjectiveEntry dann(); list.push_back(dann()); }
    // clang-format on
    return list;
  }());
  return all;
}

const std::vector<ObjectiveEntry>& objectives() {
  return objective_registry().entries();
}

void add_objective(ObjectiveEntry entry) {
  objective_registry().add(std::move(entry));
}

ObjectiveTraits traits_of(const ObjectiveEntry& entry) {
  const std::unique_ptr<Objective> objective = entry.make(entry.options);
  return {objective->needs_network(), objective->remembers_environments(), objective->replayable(),
          objective->of_features()};
}

const ObjectiveEntry& objective_named(std::string_view name) {
  return base::named(objectives(), "objective", name);
}

base::Options options_of(std::string_view objective, const base::Assignments& changes) {
  return base::with_changes(objective_named(objective).options, changes);
}

std::unique_ptr<Objective> make_objective(std::string_view name, const base::Options& options) {
  base::check(options);
  return objective_named(name).make(options);
}

std::unique_ptr<Objective> make_objective(std::string_view name) {
  return make_objective(name, objective_named(name).options);
}

}  // namespace pair::objectives

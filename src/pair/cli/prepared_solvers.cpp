#include "pair/cli/prepared_solvers.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "pair/base/registry.h"

namespace pair::cli {

std::vector<LineOption> line_options() {
  std::vector<LineOption> options;
  for (const moo::SolverEntry& entry : moo::solvers()) {
    for (const base::Field& field : entry.options.fields()) {
      const auto same = std::find_if(options.begin(), options.end(), [&field](const LineOption& option) {
        return option.field->name == field.name;
      });
      if (same == options.end()) {
        options.push_back({&field, entry.name});
      } else {
        same->solvers += ", " + entry.name;
      }
    }
  }
  return options;
}

PreparedSolvers::PreparedSolvers(const SolveDefaults& defaults) : options_(line_options()) {
  std::vector<std::string_view> names;
  for (const LineOption& option : options_) {
    names.push_back(option.field->name);
  }
  for (const auto& [name, text] : defaults.options) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw std::invalid_argument(base::unknown_name("option", name, names));
    }
  }
  for (const moo::SolverEntry& entry : moo::solvers()) {
    base::Assignments changes;
    std::copy_if(
        defaults.options.begin(), defaults.options.end(), std::back_inserter(changes),
        [&entry](const base::Assignment& option) { return entry.options.find(option.first) != nullptr; });
    base::Options options = base::with_changes(entry.options, changes);
    std::shared_ptr<const moo::Solver> solver = entry.make(options);
    solvers_.push_back({&entry, std::move(options), std::move(solver)});
  }
  chosen_ = static_cast<std::size_t>(&named(defaults.solver) - solvers_.data());
}

const PreparedSolver& PreparedSolvers::named(std::string_view name) const {
  for (const PreparedSolver& solver : solvers_) {
    if (solver.entry->name == name) {
      return solver;
    }
  }
  (void)moo::solver_named(name);  // throws
  throw std::logic_error("a solver that is registered is not prepared");
}

}  // namespace pair::cli

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/base/manual.h"
#include "pair/base/options.h"
#include "pair/moo/solver.h"

// Solvers by name. A solver is one source file in this folder with its formula, its class, its options and a
// function that returns its entry; registry.cpp has one line for it. CONTRIBUTING.md shows a complete
// example.

namespace pair::moo {

struct SolverEntry {
  std::string name;
  std::string summary;         // one line
  base::Options options = {};  // defaults
  std::function<std::unique_ptr<Solver>(const base::Options&)> make = {};
  // Options that have another default in training: {{"epsilon", "0.1"}}.
  base::Assignments in_training = {};
  // Whether the weights depend on the losses. If not, the modules of pair.torch need none.
  bool uses_losses = true;
  std::string python_class = {};  // in pair.torch; empty: that of python_class_of
  base::Manual manual = {};       // for its page in docs/solvers
};

// An entry for a solver without options: make() -> std::unique_ptr<...>.
template <class Make>
SolverEntry solver_entry(std::string name, std::string summary, Make make) {
  return {std::move(name), std::move(summary), {}, [make](const base::Options& /*options*/) {
            return std::unique_ptr<Solver>(make());
          }};
}

// The same with options: make(const O&), O described by describe(base::Fields<O>&).
template <class O, class Make>
SolverEntry solver_entry(std::string name, std::string summary, Make make) {
  return {std::move(name), std::move(summary), base::Options::of<O>(),
          [make](const base::Options& options) { return std::unique_ptr<Solver>(make(options.as<O>())); }};
}

// All solvers, in the order of lists.
const std::vector<SolverEntry>& solvers();

// Adds a solver that is not part of this library (cli/extensions.h). Call it before anything else uses the
// list. Throws std::invalid_argument for a name that exists already, std::logic_error if the list has been
// used.
void add_solver(SolverEntry entry);

// Throws std::invalid_argument that suggests the nearest name and lists all.
const SolverEntry& solver_named(std::string_view name);

// The name of the solver's class in pair.torch: its python_class, otherwise its name without underscores and
// with capital letters (ChebyshevSmooth for chebyshev_smooth).
std::string python_class_of(const SolverEntry& entry);

// The solver's options with some values changed, by name and text: options_of("cagrad", {{"radius", "0.3"}}).
// Throws std::invalid_argument for unknown names and invalid values.
base::Options options_of(std::string_view solver, const base::Assignments& changes = {});
// The same from its defaults in training.
base::Options training_options_of(std::string_view solver, const base::Assignments& changes = {});

// Throws std::invalid_argument for an unknown name, and for options out of range or of another solver.
std::unique_ptr<Solver> make_solver(std::string_view name, const base::Options& options);
std::unique_ptr<Solver> make_solver(std::string_view name);  // with default options

}  // namespace pair::moo

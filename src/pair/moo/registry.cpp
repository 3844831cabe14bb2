#include "pair/moo/registry.h"

#include <stdexcept>
#include <utility>

#include "pair/base/registry.h"

namespace pair::moo {

// Not in an anonymous namespace: the functions declared inside would be members of it.
static base::Registry<SolverEntry>& solver_registry() {
  static base::Registry<SolverEntry> all("solver", [] {
    std::vector<SolverEntry> list;
    // clang-format off
    // One line per solver, in the order of lists.
    { extern SolverEntry epo(); list.push_back(epo()); }
    { extern SolverEntry epo_smooth(); list.push_back(epo_smooth()); }
    { extern SolverEntry epo_worst(); list.push_back(epo_worst()); }
    { extern SolverEntry sepo(); list.push_back(sepo()); }
    { extern SolverEntry linear(); list.push_back(linear()); }
    { extern SolverEntry mgda(); list.push_back(mgda()); }
    { extern SolverEntry chebyshev(); list.push_back(chebyshev()); }
    { extern SolverEntry chebyshev_smooth(); list.push_back(chebyshev_smooth()); }
    { extern SolverEntry pmtl(); list.push_back(pmtl()); }
    { extern SolverEntry pcgrad(); list.push_back(pcgrad()); }
    { extern SolverEntry cagrad(); list.push_back(cagrad()); }
    { extern SolverEntry nash(); list.push_back(nash()); }
    { extern SolverEntry upgrad(); list.push_back(upgrad()); }
    // clang-format on
    return list;
  }());
  return all;
}

const std::vector<SolverEntry>& solvers() {
  return solver_registry().entries();
}

void add_solver(SolverEntry entry) {
  solver_registry().add(std::move(entry));
}

const SolverEntry& solver_named(std::string_view name) {
  return base::named(solvers(), "solver", name);
}

std::string python_class_of(const SolverEntry& entry) {
  if (!entry.python_class.empty()) {
    return entry.python_class;
  }
  std::string name;
  bool starts_word = true;
  for (const char c : entry.name) {
    if (c != '_') {
      name += starts_word && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    starts_word = c == '_';
  }
  return name;
}

base::Options options_of(std::string_view solver, const base::Assignments& changes) {
  return base::with_changes(solver_named(solver).options, changes);
}

base::Options training_options_of(std::string_view solver, const base::Assignments& changes) {
  const SolverEntry& entry = solver_named(solver);
  return base::with_changes(base::with_changes(entry.options, entry.in_training), changes);
}

std::unique_ptr<Solver> make_solver(std::string_view name, const base::Options& options) {
  const SolverEntry& entry = solver_named(name);
  if (!options.is_like(entry.options)) {
    throw std::invalid_argument("solver " + entry.name + ": expected its own options, got those of another");
  }
  base::check(options);
  return entry.make(options);
}

std::unique_ptr<Solver> make_solver(std::string_view name) {
  return make_solver(name, solver_named(name).options);
}

}  // namespace pair::moo

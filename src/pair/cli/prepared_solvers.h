#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/moo/registry.h"

// The solvers of 'pair solve', each made once with the options of the command line.

namespace pair::cli {

// Defaults for lines that do not name a solver or an option.
struct SolveDefaults {
  std::string solver = "epo";
  base::Assignments options = {};  // each for every solver that has it
};

struct PreparedSolver {
  const moo::SolverEntry* entry = nullptr;
  base::Options options;
  std::shared_ptr<const moo::Solver> solver;
};

// An option that a line may have, of one solver or several.
struct LineOption {
  const base::Field* field = nullptr;  // of the first solver that has it
  std::string solvers;                 // all that have it: "epo, epo_smooth"
};

class PreparedSolvers {
 public:
  // Throws std::invalid_argument for an unknown solver, an option that no solver has, or an invalid
  // value.
  PreparedSolvers(const SolveDefaults& defaults = {});  // NOLINT(google-explicit-constructor)

  // The solver of lines that do not name one.
  [[nodiscard]] const PreparedSolver& chosen() const { return solvers_[chosen_]; }
  // Throws std::invalid_argument that lists the names.
  [[nodiscard]] const PreparedSolver& named(std::string_view name) const;

  [[nodiscard]] const std::vector<LineOption>& options() const { return options_; }

 private:
  std::vector<PreparedSolver> solvers_;
  std::size_t chosen_ = 0;
  std::vector<LineOption> options_;
};

// Each option of the solvers once, in the order of 'pair list solvers'.
std::vector<LineOption> line_options();

}  // namespace pair::cli

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "pair/moo/problem.h"

// The interface behind which every multi-objective method stands, and the register that finds one by name.

namespace pair::moo {

// Weighs objectives. Pure: the same problem gives the same solution, whatever was solved before.
class Solver {
 public:
  virtual ~Solver() = default;
  // Throws InvalidProblem for unusable input (see validate).
  [[nodiscard]] virtual Solution weigh(const Problem& problem) const = 0;
};

// Every knob of every method, with its default; a method reads those that its register entry names.
struct SolverOptions {
  // Divergence above which EPO balances rather than descends. Finite, not negative. The paper trains with
  // 0.1.
  double epsilon = 1e-4;
  // epo_smooth: strength of the term that keeps the weights near the last step's. In [1e-6, 1e6].
  double smoothing = 1.0;
  // cagrad: radius of the region searched, as a fraction of the mean gradient's norm. In [0, 1).
  double radius = 0.5;
  // chebyshev_smooth: how strongly the weights follow the losses, in [0, 100], and the smallest weight, in
  // [0, 0.01].
  double sharpness = 0.25;
  double least = 1e-4;
};

struct SolverInfo {
  std::string_view name;
  std::string_view summary;  // one line
  std::string_view options;  // the SolverOptions it reads, comma-separated; may be empty
};

// All methods, in the order in which they are listed to users.
std::span<const SolverInfo> solvers();

// Throws std::invalid_argument that lists the known names (nearest first) or the range of an option.
std::unique_ptr<Solver> make_solver(std::string_view name, const SolverOptions& options = {});

}  // namespace pair::moo

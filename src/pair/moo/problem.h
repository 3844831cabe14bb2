#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// What a multi-objective solver is given and what it gives back. Numbers only: no tensors, no I/O.

namespace pair::moo {

// Fewest and most objectives a problem may have. One objective needs no weighing; the upper bound keeps a
// solve, which costs about m^3, far below a training step.
inline constexpr std::size_t min_objectives = 2;
inline constexpr std::size_t max_objectives = 64;

// A view of one step's numbers; the caller keeps them alive during the call.
struct Problem {
  // L, one value an objective: finite, non-negative, not all zero.
  std::span<const double> losses;
  // G G^T, row-major m x m: inner products of the objectives' gradients. Finite, symmetric and positive
  // semidefinite up to single-precision rounding; norms of gradients 0 or in [1e-100, 1e100], and at most
  // 1e50 apart.
  std::span<const double> gram;
  // p, one value an objective: finite, positive, at most 1e50 apart. Only ratios matter. The preferred
  // point of the Pareto front is the one where all p_i L_i are equal, so a larger p_i asks for a smaller L_i.
  std::span<const double> preference;
  // The weights of the step before, where the method uses them (epo_smooth): on the simplex, or empty.
  std::span<const double> previous = {};

  [[nodiscard]] std::size_t size() const { return losses.size(); }
  [[nodiscard]] double gram_at(std::size_t i, std::size_t j) const { return gram[i * size() + j]; }
};

// Which of EPO's two problems was solved.
enum class Phase {
  balance,  // divergence above epsilon: towards the preferred ray
  descent   // on the ray: down, along it
};

enum class Status {
  optimal,    // the method's own problem was solved
  infeasible  // it has no solution; the weights are those of the minimum-norm direction
};

std::string_view to_string(Phase phase);
std::string_view to_string(Status status);

struct Solution {
  // One weight an objective; the direction to step against is sum_i weights_i g_i. Non-negative with sum 1
  // (pmtl alone may give negative ones; their absolute values then sum to 1).
  std::vector<double> weights;
  Status status = Status::optimal;
  // Empty for methods without phases.
  std::optional<Phase> phase;
  // mu(L) >= 0, how far the losses are from the preferred ray; 0 on it. Eq. pair_mu of the paper.
  double divergence = 0.0;
  // The value of what the method optimises; its header says what that is.
  double objective = 0.0;
};

// Input that cannot be used. The message names the field, the value and what is accepted.
class InvalidProblem : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// Throws InvalidProblem unless every condition stated at Problem's members holds. Every solver calls it.
void validate(const Problem& problem);

// G G^T of m gradients given row by row (row-major m x n), as Problem::gram wants it. A square
// below 5e-324 is 0, so that a gradient shorter than about 1e-162 looks like one that has vanished. Throws
// InvalidProblem where rows differ in length.
std::vector<double> gram_of(std::span<const double> gradients, std::size_t m);

}  // namespace pair::moo

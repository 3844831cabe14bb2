#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// The input and output of a multi-objective solver. Numbers only: no tensors, no I/O.

namespace pair::moo {

// The minimum and maximum number of objectives. One objective needs no solver; the upper bound keeps the cost
// of a solve, about m^3, far below that of a training step.
inline constexpr std::size_t min_objectives = 2;
inline constexpr std::size_t max_objectives = 64;

// A view of one step's numbers, which must stay alive during the call.
struct Problem {
  // L, one value per objective: finite, non-negative, not all zero.
  std::span<const double> losses;
  // G G^T, row-major m x m: inner products of the objectives' gradients. Finite, symmetric and positive
  // semidefinite up to single-precision rounding. Norms of gradients are 0 or in [1e-100, 1e100], and differ
  // by a factor of at most 1e50.
  std::span<const double> gram;
  // p, one value per objective: finite, positive, within a factor of 1e50. Only ratios matter. The preferred
  // point of the Pareto front is the one where all p_i L_i are equal, so a larger p_i asks for a smaller L_i.
  std::span<const double> preference;
  // The weights of the previous step, if the solver uses them (epo_smooth): on the simplex, or empty.
  std::span<const double> previous = {};

  [[nodiscard]] std::size_t size() const { return losses.size(); }
  [[nodiscard]] double gram_at(std::size_t i, std::size_t j) const { return gram[i * size() + j]; }
};

// Which of EPO's two programs was solved.
enum class Phase {
  balance,  // divergence above epsilon: towards the preferred ray
  descent   // on the ray: down, along it
};

enum class Status {
  optimal,  // the method's own problem was solved
  // It has no solution. The weights are those of the minimum-norm direction, unless the solver says otherwise.
  infeasible
};

std::string_view to_string(Phase phase);
std::string_view to_string(Status status);

struct Solution {
  // One weight per objective; the descent direction is -sum_i weights_i g_i. Non-negative with sum 1 (only
  // pmtl may return negative ones; their absolute values then sum to 1).
  std::vector<double> weights;
  Status status = Status::optimal;
  // Empty for solvers without phases.
  std::optional<Phase> phase;
  // mu(L) >= 0, the divergence of the losses from the preferred ray; 0 on it. Eq. pair_mu of the paper.
  double divergence = 0.0;
  // The value of the function that the solver optimises; see its header.
  double objective = 0.0;
};

// Invalid input. The message names the field, what is expected and the value.
class InvalidProblem : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// Throws InvalidProblem unless all conditions stated at Problem's members hold. Every solver calls it.
void validate(const Problem& problem);

// G G^T of m gradients given row by row (row-major m x n), as for Problem::gram. Throws InvalidProblem if rows
// differ in length, for numbers that are not finite, for products beyond the range of a double, and for a
// gradient whose norm is below 1e-100 but not 0: its square could underflow, and it would count as vanished.
std::vector<double> gram_of(std::span<const double> gradients, std::size_t m);

}  // namespace pair::moo

#pragma once

#include <span>
#include <vector>

#include "pair/base/options.h"
#include "pair/moo/double_double.h"
#include "pair/moo/solver.h"

// EPO, exact Pareto optimal search (Mahapatra and Rajan 2020), as PAIR-o uses it (Appendix D.1).
//
// With C = G G^T, the adjustment a of preference.h and g_b = G^T a, so that G_j . g_b = (C a)_j:
//
//   balance (mu > epsilon):   maximise  beta . C a                           Eq. pair_lp
//                             s.t.      (C beta)_j >= (C a)_j   for j in J-bar - J*
//                                       (C beta)_j >= 0         for j in J*
//   descent (mu <= epsilon):  maximise  sum_j (C beta)_j
//                             s.t.      (C beta)_j >= 0         for every j
//                                       beta . C a >= min(0, max_j (C a)_j)
//
// over the simplex, where J-bar = {j : (C a)_j <= 0} are the objectives in conflict with g_b and
// J* = {j : p_j L_j is largest}, ties included. Balance moves towards the preferred ray. It does
// not raise the worst objective, and raises no other more than g_b itself would. Descent lowers the sum of
// the losses and stays on the ray.

namespace pair::moo {

struct Stance;  // preference.h

// The linear program of one step, in the form of simplex_lp.h.
struct EpoProgram {
  Phase phase = Phase::balance;
  double divergence = 0.0;
  std::vector<DoubleDouble> objective;  // m values
  std::vector<double> rows;             // k x m
  std::vector<double> bounds;           // k values
};

// The problem must be valid.
EpoProgram epo_program(const Problem& problem, double epsilon);
// The same with another vector in the place of C a, and with the bound max(0, share * conflict_j) for j in J*.
EpoProgram epo_program(const Problem& problem, const Stance& stance, std::span<const double> conflict,
                       double epsilon, double share = 0.0);

// The weights of a step whose program has no solution.
enum class WithoutSolution {
  min_norm,   // of the shortest direction: raises no loss
  preference  // p / sum(p), as in the paper's release: may raise a loss
};

struct EpoOptions {
  double epsilon = 1e-4;  // divergence above which EPO balances rather than descends
  WithoutSolution without_solution = WithoutSolution::min_norm;
};
void describe(base::Fields<EpoOptions>& field);

// The option epsilon of EPO and its variants. The paper trains with 0.1.
inline constexpr base::Range epsilon_range{.low = 0, .high = 1e300};
inline constexpr const char* epsilon_in_training = "0.1";
template <class O>
void describe_epsilon(base::Fields<O>& field, double O::*member) {
  field.number("epsilon", member, epsilon_range, "divergence above which the solver balances");
}

// Solution::objective is the program's optimum; if the program is infeasible, its objective at the returned
// weights.
class Epo : public Solver {
 public:
  // Throws std::invalid_argument for an epsilon out of its range.
  explicit Epo(double epsilon = EpoOptions{}.epsilon);
  explicit Epo(const EpoOptions& options);
  [[nodiscard]] Solution weigh(const Problem& problem) const override;

 private:
  EpoOptions options_;
};

}  // namespace pair::moo

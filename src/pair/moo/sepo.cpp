#include <numeric>

#include "pair/moo/epo.h"
#include "pair/moo/preference.h"
#include "pair/moo/registry.h"
#include "pair/moo/simplex_lp.h"
#include "pair/moo/weights.h"

// SEPO, the class of the paper's release "for unrobust OOD objectives", whose gradients differ widely in length.
//
// EPO's program maximises beta . C a, and a gradient that is a hundred times as long as another decides it.
// SEPO replaces C a by
//
//     c_i = C_i . (C a) / (|C_i| |a|),   with C_i the i-th row of C,
//
// which compares how objectives change together, not how much, and asks for half of it from the most violated
// objectives:
//
//   balance (mu > epsilon):   maximise  beta . c
//                             s.t.      (C beta)_j >= c_j            for j in J-bar - J*
//                                       (C beta)_j >= max(0, c_j/2)  for j in J*
//   descent (mu <= epsilon):  as in epo.h, with c in place of C a
//
// over the simplex, J-bar = {j : c_j <= 0}. c has products of rows of C because the release's optimizer gives
// its solvers C in the place of the gradients G. None of the release's programs selects SEPO.
//
// Differences from the release, which leave single steps away from a balance as they are:
//   - If mu is at most 0.1, the release divides the first preference, ERM's, by 10,000, for this step and all
//     later ones. Here solvers keep no state, and the preference stays.
//   - Its quadratic term, with weight 0 by default, is left out; epo_smooth has one.
//   - If several objectives tie in J*, the release fails and takes the preference as weights.
//
// If the program has no solution, or c is not defined, because a gradient vanishes or all p_i L_i are equal,
// the status is infeasible and the weights are the preference divided by its sum, as in the release. Such a
// step may raise a loss.
//
// Solution::objective is the program's optimum; 0 if the status is infeasible.

namespace pair::moo {
namespace {

struct SepoOptions {
  double epsilon = EpoOptions{}.epsilon;
};

void describe(base::Fields<SepoOptions>& field) {
  describe_epsilon(field, &SepoOptions::epsilon);
}

class Sepo final : public Solver {
 public:
  explicit Sepo(const SepoOptions& options) : epsilon_(options.epsilon) {}
  [[nodiscard]] Solution weigh(const Problem& problem) const override;

 private:
  double epsilon_;
};

// c of the comment above; empty if it is not defined.
std::vector<double> alignment_with(const Problem& problem, std::span<const double> adjustment) {
  const std::vector<double> direction = unit(adjustment);  // a / |a|
  if (direction.empty()) {
    return {};
  }
  const std::vector<double> change = improvements(problem, direction);
  std::vector<double> alignment;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const std::vector<double> row = unit(problem.gram.subspan(i * problem.size(), problem.size()));
    if (row.empty()) {
      return {};
    }
    alignment.push_back(std::inner_product(row.begin(), row.end(), change.begin(), 0.0));
  }
  return alignment;
}

Solution Sepo::weigh(const Problem& problem) const {
  Solution solution = begin(problem);
  const Stance stance = stance_of(problem);
  solution.phase = stance.divergence > epsilon_ ? Phase::balance : Phase::descent;
  if (const std::vector<double> alignment = alignment_with(problem, stance.adjustment); !alignment.empty()) {
    const EpoProgram program = epo_program(problem, stance, alignment, epsilon_, /*share=*/0.5);
    if (const auto vertex = maximise({program.objective, program.rows, program.bounds})) {
      solution.weights = vertex->weights();
      solution.objective = vertex->objective.value();
      return solution;
    }
  }
  solution.status = Status::infeasible;
  solution.weights = stance.preference;
  return solution;
}

}  // namespace

SolverEntry sepo() {
  SolverEntry entry = solver_entry<SepoOptions>(
      "sepo", "EPO for gradients of very different lengths, as in the paper's release",
      [](const SepoOptions& options) { return std::make_unique<Sepo>(options); });
  entry.in_training = {{"epsilon", epsilon_in_training}};
  entry.python_class = "SEPO";
  entry.manual = {
      .formula =
          "balance (mu > epsilon):   maximise  w . c\n"
          "                          such that (C w)_j >= c_j for j in J - J*,  (C w)_j >= max(0, c_j / 2) "
          "for j in J*\n"
          "descent (mu <= epsilon):  as epo, with c in place of C a\n"
          "\n"
          "c_i = C_i . (C a) / (|C_i| |a|), C_i: row i of C;  J = {j : c_j <= 0};  the rest: see epo",
      .cited = {"Y. Chen, K. Zhou, Y. Bian, B. Xie, B. Wu, Y. Zhang, H. Yang, K. Ma, P. Zhao, B. Han and "
                "J. Cheng, \"Pareto Invariant Risk Minimization: Towards Mitigating the Optimization "
                "Dilemma in Out-of-Distribution Generalization\", ICLR 2023 (the class SEPO of its public "
                "release; the paper does not describe it)"},
      .advice =
          "Use it to compare with the paper's release. If its program has no solution, it steps along the "
          "preference itself, which may raise a loss; `epo` does that only with "
          "`without_solution=preference`."};
  return entry;
}

}  // namespace pair::moo

#include "pair/moo/epo.h"

#include <algorithm>
#include <stdexcept>

#include "pair/base/numbers.h"
#include "pair/moo/min_norm.h"
#include "pair/moo/preference.h"
#include "pair/moo/registry.h"
#include "pair/moo/simplex_lp.h"
#include "pair/moo/weights.h"

namespace pair::moo {
namespace {

DoubleDouble dot(std::span<const DoubleDouble> a, std::span<const double> b) {
  DoubleDouble sum;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum = sum + a[i] * b[i];
  }
  return sum;
}

}  // namespace

EpoProgram epo_program(const Problem& problem, double epsilon) {
  const Stance stance = stance_of(problem);
  return epo_program(problem, stance, improvements(problem, stance.adjustment), epsilon);
}

EpoProgram epo_program(const Problem& problem, const Stance& stance, std::span<const double> conflict,
                       double epsilon, double share) {
  const std::size_t m = problem.size();
  EpoProgram program;
  program.phase = stance.divergence > epsilon ? Phase::balance : Phase::descent;
  program.divergence = std::max(0.0, stance.divergence);
  program.objective.resize(m);
  program.rows.reserve((m + 1) * m);
  program.bounds.reserve(m + 1);
  const auto add_row = [&program](std::span<const double> row, double bound) {
    program.rows.insert(program.rows.end(), row.begin(), row.end());
    program.bounds.push_back(bound);
  };

  if (program.phase == Phase::balance) {
    for (std::size_t j = 0; j < m; ++j) {
      program.objective[j] = conflict[j];
      if (stance.most_violated(j)) {
        add_row(problem.gram.subspan(j * m, m), std::max(0.0, share * conflict[j]));
      } else if (conflict[j] <= 0.0) {
        add_row(problem.gram.subspan(j * m, m), conflict[j]);
      }
    }
  } else {
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t i = 0; i < m; ++i) {
        program.objective[j] = program.objective[j] + problem.gram_at(i, j);
      }
      add_row(problem.gram.subspan(j * m, m), 0.0);
    }
    add_row(conflict, std::min(0.0, *std::max_element(conflict.begin(), conflict.end())));
  }
  return program;
}

void describe(base::Fields<EpoOptions>& field) {
  describe_epsilon(field, &EpoOptions::epsilon);
  field
      .choice(
          "without_solution", &EpoOptions::without_solution,
          {{"min_norm", WithoutSolution::min_norm}, {"preference", WithoutSolution::preference}},
          "weights where the program has no solution: those of the shortest direction, or the preference, "
          "as in the paper's release")
      .unsaid = "min_norm";
}

Epo::Epo(double epsilon) : Epo(EpoOptions{.epsilon = epsilon}) {}

Epo::Epo(const EpoOptions& options) : options_(options) {
  if (!epsilon_range.holds(options.epsilon)) {
    throw std::invalid_argument("epsilon: expected " + epsilon_range.text("a number") + ", got '" +
                                base::shown(options.epsilon) + "'");
  }
}

Solution Epo::weigh(const Problem& problem) const {
  validate(problem);
  const EpoProgram program = epo_program(problem, options_.epsilon);
  Solution solution;
  solution.phase = program.phase;
  solution.divergence = program.divergence;

  if (const auto vertex = maximise({program.objective, program.rows, program.bounds})) {
    solution.weights = vertex->weights();
    solution.objective = vertex->objective.value();
  } else {
    solution.status = Status::infeasible;
    solution.weights = options_.without_solution == WithoutSolution::preference
                           ? stance_of(problem).preference
                           : min_norm(problem.gram, problem.size()).weights;
    solution.objective = dot(program.objective, solution.weights).value();
  }
  return solution;
}

SolverEntry epo() {
  SolverEntry entry =
      solver_entry<EpoOptions>("epo", "exact Pareto optimal search: PAIR-o's solver",
                               [](const EpoOptions& options) { return std::make_unique<Epo>(options); });
  entry.in_training = {{"epsilon", epsilon_in_training}};
  entry.python_class = "EPO";
  entry.manual = {
      .formula =
          "balance (mu > epsilon):   maximise  w . C a\n"
          "                          such that (C w)_j >= (C a)_j for j in J - J*,  (C w)_j >= 0 for j in "
          "J*\n"
          "descent (mu <= epsilon):  maximise  sum_j (C w)_j\n"
          "                          such that (C w)_j >= 0 for all j,  w . C a >= min(0, max_j (C a)_j)\n"
          "\n"
          "J = {j : (C a)_j <= 0};  J* = {j : p_j L_j is largest};  a: direction that lowers the divergence "
          "mu",
      .cited = {"D. Mahapatra and V. Rajan, \"Multi-Task Learning with User Preferences: Gradient Descent "
                "with Controlled Ascent in Pareto Optimization\", ICML 2020",
                "Y. Chen, K. Zhou, Y. Bian, B. Xie, B. Wu, Y. Zhang, H. Yang, K. Ma, P. Zhao, B. Han and "
                "J. Cheng, \"Pareto Invariant Risk Minimization: Towards Mitigating the Optimization "
                "Dilemma in Out-of-Distribution Generalization\", ICLR 2023"},
      .advice =
          "The default of PAIR-o. Use it to reach the point of the Pareto front that the "
          "preference names, also on concave parts of the front. With minibatches its weights can "
          "jump between objectives; `epo_smooth` avoids that. It can stall when the gradients of "
          "two objectives point the same way; `epo_worst` avoids that."};
  return entry;
}

}  // namespace pair::moo

#include <utility>

#include "pair/moo/min_norm.h"
#include "pair/moo/registry.h"
#include "pair/moo/weights.h"

// MGDA (Desideri 2012; Sener and Koltun 2018): the minimum-norm combination of the gradients, a direction
// that lowers every objective if one exists. Ignores the preference.
//
// Solution::objective is the squared norm of the direction; 0 at a Pareto-stationary point.

namespace pair::moo {
namespace {

class Mgda final : public Solver {
 public:
  [[nodiscard]] Solution weigh(const Problem& problem) const override;
};

Solution Mgda::weigh(const Problem& problem) const {
  Solution solution = begin(problem);
  MinNorm shortest = min_norm(problem.gram, problem.size());
  solution.weights = std::move(shortest.weights);
  solution.objective = shortest.squared_norm;
  return solution;
}

}  // namespace

SolverEntry mgda() {
  SolverEntry entry = solver_entry("mgda", "minimum-norm combination of the gradients",
                                   [] { return std::make_unique<Mgda>(); });
  entry.uses_losses = false;
  entry.python_class = "MGDA";
  entry.manual = {
      .formula = "w = argmin |sum_i w_i g_i|^2 over the simplex",
      .cited = {"J.-A. Desideri, \"Multiple-Gradient Descent Algorithm (MGDA) for Multiobjective "
                "Optimization\", Comptes Rendus Mathematique 2012",
                "O. Sener and V. Koltun, \"Multi-Task Learning as Multi-Objective Optimization\", NeurIPS "
                "2018"},
      .advice =
          "Use it to reach any Pareto-stationary point without a preference, which it ignores. Its "
          "direction lowers all objectives if one exists, and it favours objectives with small "
          "gradients."};
  return entry;
}

}  // namespace pair::moo

#include <algorithm>

#include "pair/moo/preference.h"
#include "pair/moo/registry.h"
#include "pair/moo/weights.h"

// Weighted Chebyshev scalarisation: minimises max_i p_i L_i, so all weight goes to the most violated
// objective. Reaches concave fronts, but lets the other objectives grow meanwhile.
//
//     w_i = 1 / |J*| for i in J* = {i : p_i L_i is largest},  else 0
//
// Solution::objective is the largest share p_i L_i / sum_j p_j L_j, 1/m on the preferred ray.

namespace pair::moo {
namespace {

class Chebyshev final : public Solver {
 public:
  [[nodiscard]] Solution weigh(const Problem& problem) const override;
};

Solution Chebyshev::weigh(const Problem& problem) const {
  validate(problem);
  const Stance stance = stance_of(problem);
  Solution solution;
  solution.divergence = std::max(0.0, stance.divergence);
  solution.weights.resize(problem.size());
  for (std::size_t i = 0; i < problem.size(); ++i) {
    solution.weights[i] = stance.most_violated(i) ? 1.0 : 0.0;
  }
  normalise(solution.weights);
  solution.objective = *std::max_element(stance.normalised.begin(), stance.normalised.end());
  return solution;
}

}  // namespace

SolverEntry chebyshev() {
  SolverEntry entry = solver_entry("chebyshev", "all weight on the most violated objective",
                                   [] { return std::make_unique<Chebyshev>(); });
  entry.manual = {
      .formula = "w_i = 1/|J*| for i in J* = {i : p_i L_i is largest},  else 0",
      .cited = {"V. J. Bowman, \"On the Relationship of the Tchebycheff Norm and the Efficient Frontier "
                "of Multiple-Criteria Objectives\", Multiple Criteria Decision Making, Springer 1976"},
      .advice =
          "Use it as a simple method that reaches concave fronts. It puts all weight on the most "
          "violated objective, and the other objectives may grow meanwhile."};
  return entry;
}

}  // namespace pair::moo

#include <algorithm>
#include <numeric>

#include "pair/moo/registry.h"
#include "pair/moo/weights.h"

// Fixed weights: the preference itself, normalised. This is the usual method; it reaches no point of a
// concave part of the Pareto front, with any weights (Figure 1(c) of the paper).
//
//     w = p / sum(p)
//
// Solution::objective is w . L.

namespace pair::moo {
namespace {

class Linear final : public Solver {
 public:
  [[nodiscard]] Solution weigh(const Problem& problem) const override;
};

Solution Linear::weigh(const Problem& problem) const {
  Solution solution = begin(problem);
  solution.weights.assign(problem.preference.begin(), problem.preference.end());
  // Scaled down first: the sum of values near the largest double must not overflow.
  const double largest = *std::max_element(solution.weights.begin(), solution.weights.end());
  for (double& weight : solution.weights) {
    weight /= largest;
  }
  normalise(solution.weights);
  solution.objective =
      std::inner_product(problem.losses.begin(), problem.losses.end(), solution.weights.begin(), 0.0);
  return solution;
}

}  // namespace

SolverEntry linear() {
  SolverEntry entry = solver_entry("linear", "fixed weights: the preference, normalised",
                                   [] { return std::make_unique<Linear>(); });
  entry.uses_losses = false;
  entry.python_class = "LinearScalarization";
  entry.manual = {.formula = "w = p / sum(p)",
                  .cited = {"S. Boyd and L. Vandenberghe, \"Convex Optimization\", Cambridge University "
                            "Press 2004, Section 4.7.4"},
                  .advice =
                      "Use it as a baseline: a weighted sum with the preference as weights. It cannot reach "
                      "concave parts of the Pareto front, for any weights."};
  return entry;
}

}  // namespace pair::moo

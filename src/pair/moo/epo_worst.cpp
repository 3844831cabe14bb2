#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "pair/moo/epo.h"
#include "pair/moo/min_norm.h"
#include "pair/moo/preference.h"
#include "pair/moo/registry.h"
#include "pair/moo/weights.h"

// EPO that does not stall: if its direction hardly lowers the most violated objective, that objective gets
// all the weight.
//
// EPO's balance direction g_b = G^T a lowers the divergence mu, and mu falls not only when the most violated
// objectives J* fall but also when others rise. If the gradients of J* and of an objective that is "too
// low" point the same way and the latter's share a_i g_i is the larger, g_b points against J*: (C a)_j < 0
// for a j in J*. EPO forbids J* to rise, so that its program is left with weights under which nothing moves,
// at points where J* could still be lowered; and where g_b is almost orthogonal to J*, it creeps
// (docs/theory.md has a case with numbers). So where, for a j in J*,
//
//   cos(g_b, g_j) = (C a)_j / (|g_b| |g_j|) <= 0.1,
//
// the weights are
//
//   argmin |sum_{j in J*} w_j g_j|^2  over the simplex of J*: lowers every most violated objective
//
// (all weight on it if there is only one). Otherwise, and in the descent phase, they are EPO's. Such a step
// lowers max_i p_i L_i, the quantity that the preference is about, so the rule makes progress even if it
// applies for many steps in a row. It does not constrain the other objectives meanwhile.
//
// Solution::objective is that of EPO's program at the returned weights.

namespace pair::moo {
namespace {

constexpr double least_cosine = 0.1;

class EpoWorst final : public Solver {
 public:
  explicit EpoWorst(const EpoOptions& options) : epo_(options) {}
  [[nodiscard]] Solution weigh(const Problem& problem) const override;

 private:
  Epo epo_;
};

Solution EpoWorst::weigh(const Problem& problem) const {
  Solution solution = epo_.weigh(problem);
  if (solution.phase != Phase::balance) {
    return solution;
  }
  const Stance stance = stance_of(problem);
  const std::vector<double> conflict = improvements(problem, stance.adjustment);  // C a
  const double balance_norm = std::sqrt(squared_norm(problem, stance.adjustment));
  std::vector<std::size_t> worst;
  bool lagging = false;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    if (stance.most_violated(j)) {
      worst.push_back(j);
      // A vanished gradient cannot be followed.
      const double norm = std::sqrt(problem.gram_at(j, j));
      lagging = lagging || (norm > 0.0 && conflict[j] <= least_cosine * balance_norm * norm);
    }
  }
  if (!lagging) {
    return solution;
  }
  std::vector<double> gram;
  for (const std::size_t i : worst) {
    std::transform(worst.begin(), worst.end(), std::back_inserter(gram),
                   [&](std::size_t j) { return problem.gram_at(i, j); });
  }
  const std::vector<double> shares =
      worst.size() == 1 ? std::vector<double>{1.0} : min_norm(gram, worst.size()).weights;
  solution.status = Status::optimal;
  solution.weights.assign(problem.size(), 0.0);
  solution.objective = 0.0;
  for (std::size_t k = 0; k < worst.size(); ++k) {
    solution.weights[worst[k]] = shares[k];
    solution.objective += shares[k] * conflict[worst[k]];
  }
  return solution;
}

}  // namespace

SolverEntry epo_worst() {
  SolverEntry entry = solver_entry<EpoOptions>(
      "epo_worst", "EPO, but the most violated objective first if EPO hardly lowers it",
      [](const EpoOptions& options) { return std::make_unique<EpoWorst>(options); });
  entry.in_training = {{"epsilon", epsilon_in_training}};
  entry.python_class = "EPOWorst";
  entry.manual = {
      .formula =
          "if cos(g_b, g_j) <= 0.1 for some j in J*:  w = argmin |sum_j w_j g_j|^2 over the simplex of J*\n"
          "otherwise:                                 epo\n"
          "\n"
          "g_b = G^T a;  J* = {j : p_j L_j is largest}",
      .cited = {"D. Mahapatra and V. Rajan, \"Multi-Task Learning with User Preferences: Gradient Descent "
                "with Controlled Ascent in Pareto Optimization\", ICML 2020"},
      .advice =
          "Use it when `epo` stops before it reaches the preference: it then lowers the most "
          "violated objective first. [theory](../theory.md) has a case with numbers. Its effect on "
          "networks has not been measured yet."};
  return entry;
}

}  // namespace pair::moo

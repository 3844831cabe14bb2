#include <algorithm>
#include <cmath>
#include <limits>

#include "pair/moo/preference.h"
#include "pair/moo/registry.h"
#include "pair/moo/weights.h"

// A smooth Chebyshev scalarisation: descends Phi(L) = sum_i (p_i L_i)^(1 + q) / (1 + q), whose weights are
//
//     w_i = p_i (p_i L_i)^q / sum_j p_j (p_j L_j)^q,  then w_i = max(w_i, least), divided by their sum
//
// q = 0 weighs by the preference alone (solver linear), q -> infinity by the most violated objective alone
// (solver chebyshev). In between the weights follow the stance of the losses, but as a power: losses that are
// wrong by a factor of two change a weight by 2^q, 19% at q = 1/4. That is what minibatches need. EPO's
// weights are a vertex of its polytope; from noisy numbers it is ERM's vertex now and then, and since ERM's
// gradient is a hundred times longer than those of the penalties, these few steps undo the others.
//
// The gradients are not looked at: conflict of the objectives is not resolved, only weighed. least keeps an
// objective that the preference hardly asks for, which is ERM where the preference is (1, 1e10, 1e12), from
// drifting where the others are flat.
//
// Solution::objective is the largest share p_i L_i / sum_j p_j L_j, 1/m on the preferred ray.

namespace pair::moo {
namespace {

struct ChebyshevSmoothOptions {
  double sharpness = 0.25;  // q
  double least = 1e-4;
};

void describe(base::Fields<ChebyshevSmoothOptions>& field) {
  field
      .number("sharpness", &ChebyshevSmoothOptions::sharpness, {.low = 0, .high = 100},
              "how strongly the weights follow the losses: 0 is linear, large ones approach chebyshev")
      .unsaid = "0.25";
  field.number("least", &ChebyshevSmoothOptions::least, {.low = 0, .high = 0.01}, "the smallest weight")
      .unsaid = "1e-04";
}

class ChebyshevSmooth final : public Solver {
 public:
  explicit ChebyshevSmooth(const ChebyshevSmoothOptions& options)
      : sharpness_(options.sharpness), least_(options.least) {}
  [[nodiscard]] Solution weigh(const Problem& problem) const override;

 private:
  double sharpness_;
  double least_;
};

Solution ChebyshevSmooth::weigh(const Problem& problem) const {
  validate(problem);
  const Stance stance = stance_of(problem);
  const std::size_t m = problem.size();
  Solution solution;
  solution.divergence = std::max(0.0, stance.divergence);
  solution.objective = *std::max_element(stance.normalised.begin(), stance.normalised.end());

  // In logarithms, since preferences span tens of orders of magnitude. A loss of 0 counts as the smallest
  // number: its weight is 0 before `least`, unless q is 0.
  constexpr double smallest = std::numeric_limits<double>::min();
  solution.weights.resize(m);
  for (std::size_t i = 0; i < m; ++i) {
    solution.weights[i] = std::log(std::max(stance.preference[i], smallest)) +
                          sharpness_ * std::log(std::max(stance.normalised[i], smallest));
  }
  const double largest = *std::max_element(solution.weights.begin(), solution.weights.end());
  for (double& weight : solution.weights) {
    weight = std::exp(weight - largest);
  }
  normalise(solution.weights);
  for (double& weight : solution.weights) {
    weight = std::max(weight, least_);
  }
  normalise(solution.weights);
  return solution;
}

}  // namespace

SolverEntry chebyshev_smooth() {
  SolverEntry entry = solver_entry<ChebyshevSmoothOptions>(
      "chebyshev_smooth",
      "weights that follow the most violated objectives smoothly: PAIR-o's for minibatches",
      [](const ChebyshevSmoothOptions& options) { return std::make_unique<ChebyshevSmooth>(options); });
  entry.manual = {
      .formula = "w_i = p_i (p_i L_i)^q / sum_j p_j (p_j L_j)^q,   then at least `least`, normalised",
      .cited = {"K. Miettinen, \"Nonlinear Multiobjective Optimization\", Springer 1999, section 3.4: the "
                "weighted metrics between the weighted sum and the Chebyshev norm"},
      .advice =
          "Use it on minibatches ([minibatches](../minibatches.md)): noise in the losses changes the weights "
          "by a small factor, where a vertex of EPO jumps. It does not look at the gradients, so it does not "
          "resolve their conflict."};
  return entry;
}

}  // namespace pair::moo

#include "pair/moo/chebyshev_smooth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "pair/base/numbers.h"
#include "pair/moo/preference.h"
#include "pair/moo/weights.h"

namespace pair::moo {

ChebyshevSmooth::ChebyshevSmooth(double sharpness, double least) : sharpness_(sharpness), least_(least) {
  if (!(sharpness >= 0.0 && sharpness <= 100.0)) {
    throw std::invalid_argument("sharpness: expected a number in [0, 100], got " + base::shown(sharpness));
  }
  if (!(least >= 0.0 && least <= 1e-2)) {
    throw std::invalid_argument("least: expected a number in [0, 0.01], got " + base::shown(least));
  }
}

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

}  // namespace pair::moo

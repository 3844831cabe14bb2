#include "pair/moo/chebyshev.h"

#include <algorithm>

#include "pair/moo/preference.h"
#include "pair/moo/weights.h"

namespace pair::moo {

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

}  // namespace pair::moo

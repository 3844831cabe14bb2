#include "pair/moo/linear.h"

#include <algorithm>
#include <numeric>

#include "pair/moo/weights.h"

namespace pair::moo {

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

}  // namespace pair::moo

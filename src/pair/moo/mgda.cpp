#include "pair/moo/mgda.h"

#include <utility>

#include "pair/moo/min_norm.h"
#include "pair/moo/weights.h"

namespace pair::moo {

Solution Mgda::weigh(const Problem& problem) const {
  Solution solution = begin(problem);
  MinNorm shortest = min_norm(problem.gram, problem.size());
  solution.weights = std::move(shortest.weights);
  solution.objective = shortest.squared_norm;
  return solution;
}

}  // namespace pair::moo

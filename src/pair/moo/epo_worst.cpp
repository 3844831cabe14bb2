#include "pair/moo/epo_worst.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "pair/moo/min_norm.h"
#include "pair/moo/preference.h"
#include "pair/moo/weights.h"

namespace pair::moo {
namespace {

constexpr double least_cosine = 0.1;

}  // namespace

EpoWorst::EpoWorst(double epsilon) : epo_(epsilon) {}

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

}  // namespace pair::moo

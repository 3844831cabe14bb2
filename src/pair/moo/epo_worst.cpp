#include "pair/moo/epo_worst.h"

#include <vector>

#include "pair/moo/min_norm.h"
#include "pair/moo/preference.h"

namespace pair::moo {
namespace {

std::vector<std::size_t> most_violated(const Problem& problem) {
  const Stance stance = stance_of(problem);
  std::vector<std::size_t> result;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    if (stance.most_violated(j)) {
      result.push_back(j);
    }
  }
  return result;
}

}  // namespace

EpoWorst::EpoWorst(double epsilon) : epo_(epsilon), epsilon_(epsilon) {}

Solution EpoWorst::weigh(const Problem& problem) const {
  Solution solution = epo_.weigh(problem);
  if (solution.phase != Phase::balance) {
    return solution;
  }
  const EpoProgram program = epo_program(problem, epsilon_);
  const std::vector<std::size_t> worst = most_violated(problem);
  bool opposed = false;
  std::vector<double> gram;
  for (const std::size_t i : worst) {
    // A vanished gradient cannot be followed.
    opposed = opposed || (program.objective[i].value() <= 0.0 && problem.gram_at(i, i) > 0.0);
    for (const std::size_t j : worst) {
      gram.push_back(problem.gram_at(i, j));
    }
  }
  if (!opposed) {
    return solution;
  }
  const std::vector<double> shares =
      worst.size() == 1 ? std::vector<double>{1.0} : min_norm(gram, worst.size()).weights;
  solution.status = Status::optimal;
  solution.weights.assign(problem.size(), 0.0);
  solution.objective = 0.0;
  for (std::size_t k = 0; k < worst.size(); ++k) {
    solution.weights[worst[k]] = shares[k];
    solution.objective += shares[k] * program.objective[worst[k]].value();
  }
  return solution;
}

}  // namespace pair::moo

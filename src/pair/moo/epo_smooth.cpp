#include "pair/moo/epo_smooth.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "pair/base/numbers.h"
#include "pair/moo/epo.h"
#include "pair/moo/min_norm.h"
#include "pair/moo/simplex_lp.h"
#include "pair/moo/simplex_qp.h"
#include "pair/moo/weights.h"

namespace pair::moo {
namespace {

// Weights of unit gradients from those of the gradients (exponent +1) and back (-1).
std::vector<double> rescaled(const Problem& problem, std::span<const double> weights, int exponent) {
  std::vector<double> result(weights.size(), 0.0);
  double longest = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    longest = std::max(longest, problem.gram_at(i, i));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double norm = std::sqrt(problem.gram_at(i, i) / longest);
    if (norm > 0.0) {
      result[i] = exponent > 0 ? weights[i] * norm : weights[i] / norm;
    }
  }
  const double sum = std::accumulate(result.begin(), result.end(), 0.0);
  if (!(sum > 0.0)) {
    return {weights.begin(), weights.end()};
  }
  for (double& weight : result) {
    weight /= sum;
  }
  return result;
}

std::optional<std::vector<double>> solve_plain(const EpoProgram& program) {
  const auto vertex = maximise({program.objective, program.rows, program.bounds});
  if (!vertex) {
    return std::nullopt;
  }
  std::vector<double> weights(vertex->x.size());
  std::transform(vertex->x.begin(), vertex->x.end(), weights.begin(),
                 [](DoubleDouble x) { return x.value(); });
  return weights;
}

// Divided by the smoothing, the problem is the projection of previous + c / smoothing onto the polytope.
std::optional<std::vector<double>> solve_smoothed(const EpoProgram& program, std::span<const double> previous,
                                                  double smoothing) {
  const std::size_t m = previous.size();
  double largest = 0.0;
  for (const DoubleDouble& value : program.objective) {
    largest = std::max(largest, std::abs(value.hi));
  }
  std::vector<double> identity(m * m, 0.0);
  std::vector<double> linear(m);
  for (std::size_t i = 0; i < m; ++i) {
    identity[i * m + i] = 1.0;
    const double pull = largest > 0.0 ? program.objective[i].value() / largest / smoothing : 0.0;
    linear[i] = -(previous[i] + pull);
  }
  return minimise({identity, linear, program.rows, program.bounds});
}

}  // namespace

EpoSmooth::EpoSmooth(double epsilon, double smoothing) : epsilon_(epsilon), smoothing_(smoothing) {
  // Below, c / smoothing outgrows what keeps the weights near the last ones, and then a double's range.
  if (!(smoothing >= 1e-6 && smoothing <= 1e6)) {
    throw std::invalid_argument("smoothing is " + base::shown(smoothing) + "; it must lie in [1e-6, 1e6]");
  }
  const Epo checks_epsilon(epsilon);
}

Solution EpoSmooth::weigh(const Problem& problem) const {
  Solution solution = begin(problem);
  const std::vector<double> unit_gram = cosines(problem);
  const EpoProgram program =
      epo_program({problem.losses, unit_gram, problem.preference, problem.previous}, epsilon_);
  solution.phase = program.phase;

  std::optional<std::vector<double>> weights =
      problem.previous.empty() ? solve_plain(program)
                               : solve_smoothed(program, rescaled(problem, problem.previous, +1), smoothing_);
  if (!weights && !problem.previous.empty()) {
    // A feasible set that is a single point can escape a large quadratic program; the linear one decides.
    weights = solve_plain(program);
  }
  if (!weights) {
    solution.status = Status::infeasible;
    solution.weights = min_norm(problem.gram, problem.size()).weights;
    weights = rescaled(problem, solution.weights, +1);
  } else {
    solution.weights = rescaled(problem, *weights, -1);
  }
  for (std::size_t i = 0; i < problem.size(); ++i) {
    solution.objective += program.objective[i].value() * (*weights)[i];
  }
  return solution;
}

}  // namespace pair::moo

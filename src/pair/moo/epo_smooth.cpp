#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "pair/moo/epo.h"
#include "pair/moo/min_norm.h"
#include "pair/moo/registry.h"
#include "pair/moo/simplex_lp.h"
#include "pair/moo/simplex_qp.h"
#include "pair/moo/weights.h"

// EPO on normalised gradients, with weights that change smoothly.
//
// The vertices of EPO's linear program jump from step to step, and a gradient that is a thousand times
// shorter than another has no influence. Here, the program is that of epo.h for the unit vectors g_i / |g_i|
// (C becomes the matrix R of cosines), and if the weights beta' of the previous step are known, a quadratic
// term keeps the new ones close:
//
//     maximise  c . beta / max_j |c_j|  -  smoothing / 2 |beta - beta'|^2    under the constraints of epo.h
//
// with c the program's objective. The weights returned belong to the gradients themselves:
// w_i = (beta_i / |g_i|) / sum_j (beta_j / |g_j|). Vanished gradients are left out and get no weight.
//
// Solution::objective is c . beta.

namespace pair::moo {
namespace {

struct EpoSmoothOptions {
  double epsilon = EpoOptions{}.epsilon;
  double smoothing = 1.0;
};

void describe(base::Fields<EpoSmoothOptions>& field) {
  describe_epsilon(field, &EpoSmoothOptions::epsilon);
  // For smaller values, c / smoothing dominates the term that keeps the weights close, and then overflows.
  field
      .number("smoothing", &EpoSmoothOptions::smoothing, {.low = 1e-6, .high = 1e6},
              "how close the weights stay to the last step's: 0.01 is almost epo, 100 changes them by at "
              "most 0.01 "
              "per step")
      .unsaid = "1";
}

class EpoSmooth final : public Solver {
 public:
  explicit EpoSmooth(const EpoSmoothOptions& options)
      : epsilon_(options.epsilon), smoothing_(options.smoothing) {}
  [[nodiscard]] Solution weigh(const Problem& problem) const override;

 private:
  double epsilon_;
  double smoothing_;
};

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
  return vertex->weights();
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
    // A large quadratic program may miss a feasible set that is a single point; the linear one decides.
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

}  // namespace

SolverEntry epo_smooth() {
  SolverEntry entry = solver_entry<EpoSmoothOptions>(
      "epo_smooth", "EPO on normalised gradients, weights kept near the last step's",
      [](const EpoSmoothOptions& options) { return std::make_unique<EpoSmooth>(options); });
  entry.in_training = {{"epsilon", epsilon_in_training}};
  entry.python_class = "EPOSmooth";
  entry.manual = {
      .formula =
          "maximise  c . b / max_j |c_j| - smoothing/2 |b - b'|^2   such that the constraints of epo hold\n"
          "w_i = (b_i / |g_i|) / sum_j (b_j / |g_j|)\n"
          "\n"
          "c: objective of epo for the unit gradients g_i / |g_i|;  b': the weights of the previous step",
      .cited = {"D. Mahapatra and V. Rajan, \"Multi-Task Learning with User Preferences: Gradient Descent "
                "with Controlled Ascent in Pareto Optimization\", ICML 2020"},
      .advice =
          "Use it with minibatches, or when gradients differ by orders of magnitude. On the "
          "gaussian extrapolation example it has the smallest error of all methods "
          "([paper](../paper.md))."};
  return entry;
}

}  // namespace pair::moo

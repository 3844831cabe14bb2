#include <algorithm>
#include <cmath>

#include "pair/moo/registry.h"
#include "pair/moo/simplex_qp.h"
#include "pair/moo/weights.h"

// CAGrad, conflict-averse gradient descent (Liu et al. 2021): among the directions in a ball around the mean
// gradient g_0, the one that improves the worst objective most. Ignores the preference.
//
//     w* = argmin over the simplex of  g_w . g_0 + radius |g_0| |g_w|,   g_w = sum_i w_i g_i
//     direction = g_0 + radius |g_0| / |g_w*| g_w*
//
// With |g| = min over t > 0 of (|g|^2 / t + t) / 2, the dual is a quadratic program for each t, and
// bisection finds the t with t = |g_w|.
//
// Solution::objective is the dual's optimum.

namespace pair::moo {
namespace {

struct CaGradOptions {
  double radius = 0.5;
};

void describe(base::Fields<CaGradOptions>& field) {
  field
      .number(
          "radius", &CaGradOptions::radius, {.low = 0, .high = 1, .open_high = true},
          "radius of the search around the mean gradient, in its norms: 0 is the mean gradient, towards 1 "
          "the direction approaches mgda's")
      .unsaid = "0.5";
}

class CaGrad final : public Solver {
 public:
  explicit CaGrad(const CaGradOptions& options) : radius_(options.radius) {}
  [[nodiscard]] Solution weigh(const Problem& problem) const override;

 private:
  double radius_;
};

Solution CaGrad::weigh(const Problem& problem) const {
  Solution solution = begin(problem);
  const std::size_t m = problem.size();
  const std::vector<double> mean(m, 1.0 / static_cast<double>(m));
  double longest = 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    longest = std::max(longest, problem.gram_at(i, i));
  }
  solution.weights = mean;
  if (longest == 0.0) {
    return solution;
  }

  // In units near the longest gradient: a power of two, so that scaling is exact.
  const double unit = std::ldexp(1.0, std::ilogb(longest));
  std::vector<double> gram(problem.gram.begin(), problem.gram.end());
  for (double& value : gram) {
    value /= unit;
  }
  const Problem scaled{problem.losses, gram, problem.preference};
  const std::vector<double> along_mean = improvements(scaled, mean);
  const double mean_norm = std::sqrt(squared_norm(scaled, mean));
  const double reach = radius_ * mean_norm;

  const auto value_at = [&](const std::vector<double>& w) {
    double value = reach * std::sqrt(squared_norm(scaled, w));
    for (std::size_t i = 0; i < m; ++i) {
      value += along_mean[i] * w[i];
    }
    return value;
  };
  // The dual's weights for a given t; without constraints, so always solvable.
  const auto weights_at = [&](double t) {
    std::vector<double> quadratic(gram);
    for (double& value : quadratic) {
      value *= reach / t;
    }
    return minimise({quadratic, along_mean}).value_or(mean);
  };

  // The dual's best vertex: its optimum for radius 0, and a start otherwise.
  std::vector<double> best(m, 0.0);
  best[static_cast<std::size_t>(std::min_element(along_mean.begin(), along_mean.end()) -
                                along_mean.begin())] = 1.0;
  if (reach > 0.0) {
    // |g_w(t)| - t changes sign once: t grows faster than the norm of its own minimiser.
    double low = 1e-12 * mean_norm;
    double high = 2.0;
    for (int halving = 0; halving < 80 && high > low * (1.0 + 1e-13); ++halving) {
      const double middle = std::sqrt(low * high);
      const std::vector<double> w = weights_at(middle);
      if (value_at(w) < value_at(best)) {
        best = w;
      }
      (std::sqrt(squared_norm(scaled, w)) > middle ? low : high) = middle;
    }
  }
  solution.objective = value_at(best) * unit;
  const double norm = std::sqrt(squared_norm(scaled, best));
  for (std::size_t i = 0; i < m; ++i) {
    solution.weights[i] = mean[i] + (norm > 0.0 ? reach / norm * best[i] : 0.0);
  }
  normalise(solution.weights);
  return solution;
}

}  // namespace

SolverEntry cagrad() {
  SolverEntry entry = solver_entry<CaGradOptions>(
      "cagrad", "conflict-averse: best worst improvement near the mean gradient",
      [](const CaGradOptions& options) { return std::make_unique<CaGrad>(options); });
  entry.uses_losses = false;
  entry.python_class = "CAGrad";
  entry.manual = {
      .formula =
          "w* = argmin over the simplex of  g_w . g_0 + radius |g_0| |g_w|,   g_w = sum_i w_i g_i\n"
          "direction = g_0 + radius |g_0| / |g_w*| g_w*,   g_0: mean of the gradients",
      .cited = {"B. Liu, X. Liu, X. Jin, P. Stone and Q. Liu, \"Conflict-Averse Gradient Descent for "
                "Multi-task Learning\", NeurIPS 2021"},
      .advice =
          "Use it to minimise the mean of the losses while protecting the objective that improves "
          "least. It ignores the preference. A radius of 0 is plain gradient descent on the mean."};
  return entry;
}

}  // namespace pair::moo

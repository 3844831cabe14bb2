#include <algorithm>
#include <cmath>
#include <optional>

#include "pair/moo/min_norm.h"
#include "pair/moo/registry.h"
#include "pair/moo/weights.h"

// Nash-MTL (Navon et al. 2022): the direction is the bargaining solution, which maximises the product of
// the objectives' improvements, so that the scales of the objectives do not matter. Ignores the preference.
//
//     C w = 1 / w   (elementwise),   w > 0
//
// is the minimum of 1/2 w^T C w - sum_i log w_i, a self-concordant function: damped Newton steps reach it
// from any start, up to rounding. (The authors' code solves a sequence of approximations.)
//
// If the gradients balance out (no common descent direction exists, a vanished gradient included) the
// bargain has no solution: the weights are those of the minimum norm, with status infeasible.
//
// Solution::objective is the squared norm of the direction of the normalised weights.

namespace pair::moo {
namespace {

// Solves A x = b for a symmetric positive definite A by Cholesky; A is overwritten. Empty if a pivot
// vanishes.
std::optional<std::vector<double>> solve_spd(std::vector<double>& a, std::vector<double> b) {
  const std::size_t m = b.size();
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = j; i < m; ++i) {
      double sum = a[i * m + j];
      for (std::size_t k = 0; k < j; ++k) {
        sum -= a[i * m + k] * a[j * m + k];
      }
      if (i == j) {
        if (!(sum > 0.0)) {
          return std::nullopt;
        }
        a[j * m + j] = std::sqrt(sum);
      } else {
        a[i * m + j] = sum / a[j * m + j];
      }
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      b[i] -= a[i * m + k] * b[k];
    }
    b[i] /= a[i * m + i];
  }
  for (std::size_t i = m; i-- > 0;) {
    for (std::size_t k = i + 1; k < m; ++k) {
      b[i] -= a[k * m + i] * b[k];
    }
    b[i] /= a[i * m + i];
  }
  return b;
}

// x > 0 with R x = 1 / x for a matrix of cosines; empty if the iteration finds none.
std::optional<std::vector<double>> bargain(std::span<const double> unit, std::size_t m) {
  // At the solution x^T R x = m, so weights beyond this mean that a combination of length near 0 exists.
  constexpr double unbounded = 1e8;
  std::vector<double> x(m, 1.0);
  for (int step = 0; step < 500; ++step) {
    std::vector<double> gradient(m);
    std::vector<double> hessian(unit.begin(), unit.end());
    for (std::size_t i = 0; i < m; ++i) {
      gradient[i] = -1.0 / x[i];
      for (std::size_t j = 0; j < m; ++j) {
        gradient[i] += unit[i * m + j] * x[j];
      }
      hessian[i * m + i] += 1.0 / (x[i] * x[i]);
    }
    const auto newton = solve_spd(hessian, gradient);
    if (!newton) {
      return std::nullopt;
    }
    double decrement = 0.0;
    for (std::size_t i = 0; i < m; ++i) {
      decrement += gradient[i] * (*newton)[i];
    }
    decrement = std::sqrt(std::max(0.0, decrement));
    const double length = decrement > 0.25 ? 1.0 / (1.0 + decrement) : 1.0;
    for (std::size_t i = 0; i < m; ++i) {
      x[i] -= length * (*newton)[i];
      if (!(x[i] > 0.0) || x[i] > unbounded) {
        return std::nullopt;
      }
    }
    if (decrement < 1e-13) {
      return x;
    }
  }
  return std::nullopt;
}

class Nash final : public Solver {
 public:
  [[nodiscard]] Solution weigh(const Problem& problem) const override;
};

Solution Nash::weigh(const Problem& problem) const {
  Solution solution = begin(problem);
  const std::size_t m = problem.size();
  const std::vector<double> unit = cosines(problem);
  double shortest = 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    const double norm = std::sqrt(problem.gram_at(i, i));
    shortest = i == 0 ? norm : std::min(shortest, norm);
  }
  const auto shares = shortest > 0.0 ? bargain(unit, m) : std::nullopt;
  if (shares) {
    solution.weights.resize(m);
    for (std::size_t i = 0; i < m; ++i) {
      solution.weights[i] = (*shares)[i] * (shortest / std::sqrt(problem.gram_at(i, i)));
    }
    normalise(solution.weights);
  } else {
    solution.status = Status::infeasible;
    solution.weights = min_norm(problem.gram, m).weights;
  }
  solution.objective = squared_norm(problem, solution.weights);
  return solution;
}

}  // namespace

SolverEntry nash() {
  SolverEntry entry = solver_entry("nash", "bargaining solution: largest product of improvements",
                                   [] { return std::make_unique<Nash>(); });
  entry.uses_losses = false;
  entry.python_class = "NashMTL";
  entry.manual = {
      .formula = "C w = 1 / w (elementwise),  w > 0",
      .cited = {"A. Navon, A. Shamsian, I. Achituve, H. Maron, K. Kawaguchi, G. Chechik and E. Fetaya, "
                "\"Multi-Task Learning as a Bargaining Game\", ICML 2022"},
      .advice =
          "Use it when losses have different scales and none should dominate: scaling a loss does "
          "not change the direction. It ignores the preference."};
  return entry;
}

}  // namespace pair::moo

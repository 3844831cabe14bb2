#include "pair/moo/test_problems.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/moo/problem.h"

namespace pair::moo {
namespace {

// 1 - exp(-square) without cancellation near the centre.
double depth(double square) {
  return -std::expm1(-square);
}

std::size_t at_least(std::size_t least, std::size_t variables) {
  if (variables < least) {
    throw std::invalid_argument("variables: expected at least " + std::to_string(least) + ", got " +
                                std::to_string(variables));
  }
  return variables;
}

std::vector<double> opposite_centres(std::size_t n) {
  std::vector<double> centres(2 * n, 1.0 / std::sqrt(static_cast<double>(n)));
  std::for_each(centres.begin() + static_cast<std::ptrdiff_t>(n), centres.end(), [](double& c) { c = -c; });
  return centres;
}

std::vector<double> triangle(std::size_t n) {
  constexpr double pi = std::numbers::pi;
  constexpr double radius = 2.0 / std::numbers::sqrt3;  // of the circle through corners 2 apart
  const auto count = static_cast<double>(n);
  std::vector<double> centres(3 * n);
  for (std::size_t i = 0; i < 3; ++i) {
    const double angle = 2.0 * pi * static_cast<double>(i) / 3.0;
    for (std::size_t k = 0; k < n; ++k) {
      const double along = std::sqrt(1.0 / count);
      const double across = std::sqrt(2.0 / count) * std::cos(pi * (static_cast<double>(k) + 0.5) / count);
      centres[i * n + k] = radius * (std::cos(angle) * along + std::sin(angle) * across);
    }
  }
  return centres;
}

void require_barycentric(std::span<const double, 3> barycentric) {
  constexpr double rounding = 1e-9;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(barycentric[i] >= -rounding)) {
      throw std::invalid_argument("barycentric[" + std::to_string(i) +
                                  "]: expected a number that is not negative, got " +
                                  base::shown(barycentric[i]));
    }
  }
  const double sum = barycentric[0] + barycentric[1] + barycentric[2];
  if (!(std::abs(sum - 1.0) <= rounding)) {
    throw std::invalid_argument("barycentric: expected coordinates that sum to 1, got the sum " +
                                base::shown(sum));
  }
}

}  // namespace

GaussianWells::GaussianWells(std::vector<double> centres, std::size_t variables)
    : centres_(std::move(centres)), variables_(variables) {}

std::vector<double> GaussianWells::squared_distances(std::span<const double> x) const {
  if (x.size() != variables_) {
    throw std::invalid_argument("x: expected " + std::to_string(variables_) +
                                " values, one per variable, got " + std::to_string(x.size()));
  }
  std::vector<double> squares(objectives(), 0.0);
  for (std::size_t i = 0; i < squares.size(); ++i) {
    for (std::size_t k = 0; k < variables_; ++k) {
      const double away = x[k] - centre(i)[k];
      squares[i] += away * away;
    }
  }
  return squares;
}

std::vector<double> GaussianWells::losses(std::span<const double> x) const {
  std::vector<double> result = squared_distances(x);
  std::transform(result.begin(), result.end(), result.begin(), depth);
  return result;
}

std::vector<double> GaussianWells::gradients(std::span<const double> x) const {
  const std::vector<double> squares = squared_distances(x);
  std::vector<double> result(centres_.size());
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const double slope = 2.0 * std::exp(-squares[i]);
    for (std::size_t k = 0; k < variables_; ++k) {
      result[i * variables_ + k] = slope * (x[k] - centre(i)[k]);
    }
  }
  return result;
}

FonsecaFleming::FonsecaFleming(std::size_t variables)
    : GaussianWells(opposite_centres(at_least(1, variables)), variables) {}

double FonsecaFleming::end() const {
  return centre(0)[0];
}

double FonsecaFleming::inflection() const {
  return end() / std::numbers::sqrt2;
}

std::vector<double> FonsecaFleming::pareto_set(double t) const {
  if (!(std::abs(t) <= end() * (1.0 + 1e-9))) {
    throw std::invalid_argument("t: expected a point of the Pareto set, from -" + base::shown(end()) +
                                " to " + base::shown(end()) + ", got " + base::shown(t));
  }
  return std::vector<double>(variables(), t);
}

std::array<double, 2> FonsecaFleming::front(double t) const {
  const auto count = static_cast<double>(pareto_set(t).size());
  const double to_first = end() - t;
  const double to_second = end() + t;
  return {depth(count * to_first * to_first), depth(count * to_second * to_second)};
}

double FonsecaFleming::preferred(std::span<const double> preference) const {
  if (preference.size() != 2) {
    throw std::invalid_argument("preference: expected 2 values, one per objective, got " +
                                std::to_string(preference.size()));
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (!std::isfinite(preference[i]) || preference[i] <= 0.0) {
      throw std::invalid_argument("preference[" + std::to_string(i) +
                                  "]: expected a finite positive number, got " + base::shown(preference[i]));
    }
  }
  double low = -end();
  double high = end();
  for (;;) {
    const double middle = std::midpoint(low, high);
    if (middle == low || middle == high) {
      return middle;
    }
    const auto losses = front(middle);
    const double excess = preference[0] * losses[0] - preference[1] * losses[1];
    if (excess == 0.0) {
      return middle;
    }
    (excess > 0.0 ? low : high) = middle;
  }
}

ThreeCentres::ThreeCentres(std::size_t variables)
    : GaussianWells(triangle(at_least(2, variables)), variables) {}

std::vector<double> ThreeCentres::pareto_set(std::span<const double, 3> barycentric) const {
  require_barycentric(barycentric);
  std::vector<double> x(variables(), 0.0);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] += barycentric[i] * centre(i)[k];
    }
  }
  return x;
}

std::array<double, 3> ThreeCentres::front(std::span<const double, 3> barycentric) const {
  require_barycentric(barycentric);
  std::array<double, 3> losses{};
  for (std::size_t i = 0; i < 3; ++i) {
    // |l|^2 - 2 l_i + 1 = |l - e_i|^2, which does not cancel near the centre.
    double square = 0.0;
    for (std::size_t j = 0; j < 3; ++j) {
      const double away = barycentric[j] - (i == j ? 1.0 : 0.0);
      square += away * away;
    }
    losses[i] = depth(2.0 * square);
  }
  return losses;
}

std::vector<double> descend(const GaussianWells& problem, const Solver& solver,
                            std::span<const double> preference, std::vector<double> x,
                            const Descent& descent) {
  if (!std::isfinite(descent.rate) || descent.rate <= 0.0) {
    throw std::invalid_argument("rate: expected a finite positive number, got " + base::shown(descent.rate));
  }
  std::vector<double> previous;
  for (std::size_t step = 0; step < descent.steps; ++step) {
    const auto losses = problem.losses(x);
    const auto gradients = problem.gradients(x);
    const auto gram = gram_of(gradients, problem.objectives());
    const auto weights = solver.weigh({losses, gram, preference, previous}).weights;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] -= descent.rate * weights[i] * gradients[i * x.size() + k];
      }
    }
    // Weights of pmtl may be negative; solvers do not accept those as previous weights, and pmtl does not use
    // them.
    const bool on_simplex = std::all_of(weights.begin(), weights.end(), [](double w) { return w >= 0.0; });
    previous = on_simplex ? weights : std::vector<double>{};
  }
  return x;
}

}  // namespace pair::moo

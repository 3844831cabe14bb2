#include "pair/moo/pmtl.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/moo/min_norm.h"
#include "pair/moo/weights.h"

namespace pair::moo {
namespace {

constexpr double tolerance = 1e-6;

std::vector<double> to_unit(std::vector<double> vector) {
  const double largest = *std::max_element(vector.begin(), vector.end());
  double square = 0.0;
  for (double& value : vector) {
    value /= largest;
    square += value * value;
  }
  for (double& value : vector) {
    value /= std::sqrt(square);
  }
  return vector;
}

// The direction in loss space in which all p_i L_i are equal.
std::vector<double> ray_of(std::span<const double> preference) {
  const double smallest = *std::min_element(preference.begin(), preference.end());
  std::vector<double> ray(preference.size());
  std::transform(preference.begin(), preference.end(), ray.begin(),
                 [smallest](double p) { return smallest / p; });
  return to_unit(std::move(ray));
}

std::vector<std::vector<double>> axes(std::size_t m) {
  std::vector<std::vector<double>> result(m, std::vector<double>(m, 0.0));
  for (std::size_t i = 0; i < m; ++i) {
    result[i][i] = 1.0;
  }
  return result;
}

}  // namespace

Pmtl::Pmtl(std::vector<std::vector<double>> vectors) : vectors_(std::move(vectors)) {
  for (const auto& vector : vectors_) {
    for (const double value : vector) {
      if (!std::isfinite(value) || value <= 0.0) {
        throw std::invalid_argument("a preference vector holds " + base::shown(value) +
                                    "; its values must be finite and positive");
      }
    }
  }
}

Solution Pmtl::weigh(const Problem& problem) const {
  Solution solution = begin(problem);
  const std::size_t m = problem.size();
  const std::vector<double> own = ray_of(problem.preference);
  std::vector<std::vector<double>> others;
  for (const auto& vector : vectors_) {
    if (vector.size() != m) {
      throw InvalidProblem("a preference vector has " + std::to_string(vector.size()) + " values; " +
                           std::to_string(m) + " are needed, one an objective");
    }
    others.push_back(ray_of(vector));
  }
  if (others.empty()) {
    others = axes(m);
  }

  const std::vector<double> losses = to_unit({problem.losses.begin(), problem.losses.end()});
  // Rows of coefficients in the gradients: one an objective, one an active constraint.
  std::vector<std::vector<double>> generators = axes(m);
  for (const auto& other : others) {
    std::vector<double> constraint(m);
    double value = 0.0;
    for (std::size_t i = 0; i < m; ++i) {
      constraint[i] = other[i] - own[i];
      value += constraint[i] * losses[i];
    }
    if (value >= -tolerance) {
      generators.push_back(std::move(constraint));
    }
  }

  const std::size_t n = generators.size();
  std::vector<double> gram(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<double> products = improvements(problem, generators[i]);
    for (std::size_t j = 0; j < n; ++j) {
      gram[j * n + i] = std::inner_product(products.begin(), products.end(), generators[j].begin(), 0.0);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    gram[i * n + i] = std::max(0.0, gram[i * n + i]);
  }
  const MinNorm shortest = min_norm(gram, n);
  solution.objective = shortest.squared_norm;
  solution.weights.assign(m, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      solution.weights[j] += shortest.weights[i] * generators[i][j];
    }
  }
  normalise(solution.weights);
  return solution;
}

}  // namespace pair::moo

#include "pair/moo/pmtl.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/moo/double_double.h"
#include "pair/moo/lcp.h"
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

// Inner products of combinations of the gradients, in 32 digits: those of nearby vectors cancel.
std::vector<double> gram_of_combinations(const Problem& problem,
                                         const std::vector<std::vector<double>>& combinations) {
  const std::size_t n = combinations.size();
  std::vector<double> gram(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<DoubleDouble> products(problem.size());
    for (std::size_t k = 0; k < problem.size(); ++k) {
      for (std::size_t l = 0; l < problem.size(); ++l) {
        products[k] = products[k] + DoubleDouble(problem.gram_at(k, l)) * combinations[i][l];
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      DoubleDouble sum;
      for (std::size_t k = 0; k < problem.size(); ++k) {
        sum = sum + products[k] * combinations[j][k];
      }
      gram[j * n + i] = i == j ? std::max(0.0, sum.value()) : sum.value();
    }
  }
  return gram;
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
    double square = 0.0;
    for (std::size_t i = 0; i < m; ++i) {
      constraint[i] = other[i] - own[i];
      value += constraint[i] * losses[i];
      square += constraint[i] * constraint[i];
    }
    // A vector that is the own one, up to the tolerance, bounds nothing.
    if (value >= -tolerance && square > tolerance * tolerance) {
      generators.push_back(std::move(constraint));
    }
  }

  const std::size_t n = generators.size();
  solution.weights.assign(m, 0.0);
  try {
    const MinNorm shortest = min_norm(gram_of_combinations(problem, generators), n);
    solution.objective = shortest.squared_norm;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        solution.weights[j] += shortest.weights[i] * generators[i][j];
      }
    }
  } catch (const PivotingDoesNotEnd&) {
    // Doubles cannot hold the constraints beside gradients so much longer: as without a solution.
  }
  if (std::all_of(solution.weights.begin(), solution.weights.end(), [](double w) { return w == 0.0; })) {
    // Or the constraints' combinations balance out whatever the gradients are: they ask for nothing.
    solution.status = Status::infeasible;
    MinNorm shortest = min_norm(problem.gram, m);
    solution.objective = shortest.squared_norm;
    solution.weights = std::move(shortest.weights);
  }
  normalise(solution.weights);
  return solution;
}

}  // namespace pair::moo

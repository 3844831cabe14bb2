#include "pair/moo/weights.h"

#include <algorithm>
#include <cmath>

#include "pair/moo/preference.h"

namespace pair::moo {

double squared_norm(const Problem& problem, std::span<const double> weights) {
  const std::vector<double> products = improvements(problem, weights);
  double sum = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i] * products[i];
  }
  return std::max(0.0, sum);
}

std::vector<double> improvements(const Problem& problem, std::span<const double> weights) {
  std::vector<double> products(problem.size(), 0.0);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    for (std::size_t j = 0; j < problem.size(); ++j) {
      products[i] += problem.gram_at(i, j) * weights[j];
    }
  }
  return products;
}

void normalise(std::vector<double>& weights) {
  double sum = 0.0;
  for (const double weight : weights) {
    sum += std::abs(weight);
  }
  for (double& weight : weights) {
    weight /= sum;
  }
}

std::vector<double> unit(std::span<const double> vector) {
  double largest = 0.0;
  for (const double value : vector) {
    largest = std::max(largest, std::abs(value));
  }
  if (!(largest > 0.0)) {
    return {};
  }
  std::vector<double> result(vector.begin(), vector.end());
  double squares = 0.0;
  for (double& value : result) {
    value /= largest;
    squares += value * value;
  }
  for (double& value : result) {
    value /= std::sqrt(squares);
  }
  return result;
}

Solution begin(const Problem& problem) {
  validate(problem);
  Solution solution;
  solution.divergence = std::max(0.0, stance_of(problem).divergence);
  return solution;
}

std::vector<double> cosines(const Problem& problem) {
  const std::size_t m = problem.size();
  std::vector<double> result(m * m, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      const double norms = std::sqrt(problem.gram_at(i, i)) * std::sqrt(problem.gram_at(j, j));
      if (norms > 0.0) {
        result[i * m + j] = i == j ? 1.0 : std::clamp(problem.gram_at(i, j) / norms, -1.0, 1.0);
      }
    }
  }
  return result;
}

}  // namespace pair::moo

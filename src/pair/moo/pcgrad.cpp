#include "pair/moo/pcgrad.h"

#include <algorithm>
#include <functional>

#include "pair/moo/weights.h"

namespace pair::moo {
namespace {

constexpr std::size_t most_for_all_orders = 6;

// Coefficients in the gradients of g_i after its projections in the given order.
std::vector<double> project(const Problem& problem, std::size_t i, std::span<const std::size_t> order) {
  std::vector<double> coefficients(problem.size(), 0.0);
  coefficients[i] = 1.0;
  for (const std::size_t j : order) {
    double product = 0.0;
    for (std::size_t k = 0; k < problem.size(); ++k) {
      product += coefficients[k] * problem.gram_at(k, j);
    }
    if (product < 0.0 && problem.gram_at(j, j) > 0.0) {
      coefficients[j] -= product / problem.gram_at(j, j);
    }
  }
  return coefficients;
}

}  // namespace

Solution PcGrad::weigh(const Problem& problem) const {
  Solution solution = begin(problem);
  const std::size_t m = problem.size();
  solution.weights.assign(m, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    std::vector<std::size_t> order;
    for (std::size_t j = 0; j < m; ++j) {
      if (j != i) {
        order.push_back(j);
      }
    }
    std::vector<double> sum(m, 0.0);
    double orders = 0.0;
    const auto add_order = [&] {
      const std::vector<double> projected = project(problem, i, order);
      std::transform(sum.begin(), sum.end(), projected.begin(), sum.begin(), std::plus<>());
      orders += 1.0;
    };
    if (m <= most_for_all_orders) {
      do {
        add_order();
      } while (std::next_permutation(order.begin(), order.end()));
    } else {
      for (std::size_t shift = 0; shift < order.size(); ++shift) {
        add_order();
        std::rotate(order.begin(), order.begin() + 1, order.end());
      }
    }
    for (std::size_t j = 0; j < m; ++j) {
      solution.weights[j] += sum[j] / orders;
    }
  }
  normalise(solution.weights);
  solution.objective = squared_norm(problem, solution.weights);
  return solution;
}

}  // namespace pair::moo

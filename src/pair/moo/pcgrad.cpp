#include <algorithm>
#include <functional>

#include "pair/moo/registry.h"
#include "pair/moo/weights.h"

// PCGrad, gradient surgery (Yu et al. 2020): each gradient loses its component along every other one that
// it conflicts with, and the results are summed. Ignores the preference.
//
//     for each i:  d = g_i;  for j != i in some order:  if d . g_j < 0:  d -= (d . g_j / |g_j|^2) g_j
//     direction = sum over i of d
//
// The authors draw the order at random. Here it is the mean over all orders for up to six objectives, and
// over the m - 1 rotations of the natural order for more, so that the result only depends on the problem.
//
// Solution::objective is the squared norm of the direction of the normalised weights.

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

class PcGrad final : public Solver {
 public:
  [[nodiscard]] Solution weigh(const Problem& problem) const override;
};

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

}  // namespace

SolverEntry pcgrad() {
  SolverEntry entry = solver_entry("pcgrad", "gradient surgery: conflicting components projected away",
                                   [] { return std::make_unique<PcGrad>(); });
  entry.uses_losses = false;
  entry.python_class = "PCGrad";
  entry.manual = {
      .formula =
          "for each i:  d_i = g_i;  for j != i:  if d_i . g_j < 0:  d_i = d_i - (d_i . g_j / |g_j|^2) g_j\n"
          "direction = sum_i d_i,   averaged over orders of j",
      .cited = {"T. Yu, S. Kumar, A. Gupta, S. Levine, K. Hausman and C. Finn, \"Gradient Surgery for "
                "Multi-Task Learning\", NeurIPS 2020"},
      .advice =
          "Use it as a cheap multi-task baseline. It ignores the preference. The original draws "
          "the order of j at random; here the result is deterministic."};
  return entry;
}

}  // namespace pair::moo

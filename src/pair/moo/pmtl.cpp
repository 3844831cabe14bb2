#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "pair/moo/double_double.h"
#include "pair/moo/lcp.h"
#include "pair/moo/min_norm.h"
#include "pair/moo/registry.h"
#include "pair/moo/weights.h"

// Pareto MTL (Lin et al. 2019): preference vectors divide the space of losses into sectors, and the search
// stays in its own sector.
//
// With unit vectors u_0 (its own) and u_1..u_K, the sector is {L : (u_k - u_0) . L <= 0 for all k}. The
// direction is the shortest vector in the hull of the gradients and of the gradients of the active
// constraints (those with (u_k - u_0) . L >= -tolerance |L|), all of which are combinations of the
// gradients:
//
//     w_i = lambda_i + sum over active k of mu_k (u_k - u_0)_i,   (lambda, mu) = min-norm weights
//
// A weight may be negative: leaving a wrong sector can require an objective to increase. Weights are divided
// by the sum of their absolute values, as the authors' code does.
//
// The constraints' gradients depend on the others, so that their Gram matrix is singular up to its rounding:
// where the gradients' norms are many decades apart, the weights are right to a few digits only. If they
// are some 40 decades apart, the search for the shortest vector may not end at all. Then, and where the
// constraints cancel each other, the status is `infeasible` and the weights are those of the minimum-norm
// direction of the gradients alone.
//
// Solution::objective is the squared norm of the shortest vector.

namespace pair::moo {
namespace {

struct PmtlOptions {
  // The other preference vectors one after the other, in the sense of Problem::preference (larger asks for
  // less loss). Empty: one vector per objective, each allowing any value of that objective (the axes of
  // loss space): the rest of the method if only one preference is known.
  std::vector<double> vectors = {};
};

void describe(base::Fields<PmtlOptions>& field) {
  field
      .numbers("pmtl_vectors", &PmtlOptions::vectors, {.low = 0, .high = 1e300, .open_low = true},
               "the other preference vectors, one after the other; axes: those of the losses", "axes")
      .unsaid = "axes";
}

class Pmtl final : public Solver {
 public:
  explicit Pmtl(const PmtlOptions& options) : vectors_(options.vectors) {}
  [[nodiscard]] Solution weigh(const Problem& problem) const override;

 private:
  std::vector<double> vectors_;  // row after row
};

constexpr double tolerance = 1e-6;

// The direction in loss space in which all p_i L_i are equal.
std::vector<double> ray_of(std::span<const double> preference) {
  const double smallest = *std::min_element(preference.begin(), preference.end());
  std::vector<double> ray(preference.size());
  std::transform(preference.begin(), preference.end(), ray.begin(),
                 [smallest](double p) { return smallest / p; });
  return unit(ray);
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

Solution Pmtl::weigh(const Problem& problem) const {
  Solution solution = begin(problem);
  const std::size_t m = problem.size();
  const std::vector<double> own = ray_of(problem.preference);
  if (vectors_.size() % m != 0) {
    throw InvalidProblem("pmtl_vectors: expected one number per objective in each vector (" +
                         std::to_string(m) + "), got " + std::to_string(vectors_.size()) + " numbers");
  }
  std::vector<std::vector<double>> others;
  for (std::size_t at = 0; at < vectors_.size(); at += m) {
    others.push_back(ray_of(std::span(vectors_).subspan(at, m)));
  }
  if (others.empty()) {
    others = axes(m);
  }

  const std::vector<double> losses = unit(problem.losses);
  // Rows of coefficients in the gradients: one per objective, one per active constraint.
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
    // A vector that equals its own, up to the tolerance, is not a constraint.
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
    // The constraints are lost next to gradients that are so much longer: treated as infeasible.
  }
  if (std::all_of(solution.weights.begin(), solution.weights.end(), [](double w) { return w == 0.0; })) {
    // Or the constraints' combinations balance out for any gradients: they ask for nothing.
    solution.status = Status::infeasible;
    MinNorm shortest = min_norm(problem.gram, m);
    solution.objective = shortest.squared_norm;
    solution.weights = std::move(shortest.weights);
  }
  normalise(solution.weights);
  return solution;
}

}  // namespace

SolverEntry pmtl() {
  SolverEntry entry = solver_entry<PmtlOptions>(
      "pmtl", "Pareto MTL: stays in the sector of its preference vector; weights may be negative",
      [](const PmtlOptions& options) { return std::make_unique<Pmtl>(options); });
  entry.python_class = "PMTL";
  entry.manual = {
      .formula =
          "w_i = lambda_i + sum over active k of mu_k (u_k - u_0)_i,   (lambda, mu): minimum-norm weights\n"
          "\n"
          "u_0: the preferred direction, u_k: the others;  k is active if (u_k - u_0) . L >= 0 up to a "
          "tolerance",
      .cited = {"X. Lin, H.-L. Zhen, Z. Li, Q. Zhang and S. Kwong, \"Pareto Multi-Task Learning\", NeurIPS "
                "2019"},
      .advice =
          "Use it to compare with the literature: it stays in a sector around the preference "
          "instead of reaching it exactly. Weights may be negative, and are inaccurate if the "
          "norms of the gradients differ by many orders of magnitude."};
  return entry;
}

}  // namespace pair::moo

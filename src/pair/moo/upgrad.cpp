#include <cmath>

#include "pair/moo/double_double.h"
#include "pair/moo/lcp.h"
#include "pair/moo/registry.h"
#include "pair/moo/weights.h"

// UPGrad (Quinton and Rey 2024): each gradient is projected onto the cone of directions that conflict with
// no gradient, and the projections are averaged. Ignores the preference.
//
//     v_i = argmin v^T C v  subject to  v >= e_i;   w = (1/m) sum_i v_i
//
// The projections are exact; the source's code adds a small multiple of the identity to C, which is not
// needed here. A vanished gradient keeps the weight 1/m before normalising.
//
// Solution::objective is the squared norm of the direction of the normalised weights.

namespace pair::moo {
namespace {

class UpGrad final : public Solver {
 public:
  [[nodiscard]] Solution weigh(const Problem& problem) const override;
};

Solution UpGrad::weigh(const Problem& problem) const {
  Solution solution = begin(problem);
  const std::size_t m = problem.size();

  // Gradients are brought to norm 1, v_i = u_i / |g_i|. The conditions of the projection of gradient i are
  // complementary in the excess x = u - e_i >= 0:  R (e_i + x) >= 0.
  const std::vector<double> unit = cosines(problem);
  const std::vector<DoubleDouble> matrix(unit.begin(), unit.end());
  solution.weights.assign(m, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    solution.weights[i] += 1.0;
    const double norm = std::sqrt(problem.gram_at(i, i));
    if (norm == 0.0) {
      continue;
    }
    std::vector<DoubleDouble> offset(m);
    for (std::size_t j = 0; j < m; ++j) {
      offset[j] = unit[j * m + i];
    }
    const LcpSolution excess = solve_lcp(matrix, offset);
    for (std::size_t j = 0; j < m; ++j) {
      if (const double other = std::sqrt(problem.gram_at(j, j)); excess.solved && other > 0.0) {
        solution.weights[j] += excess.z[j].value() * (norm / other);
      }
    }
  }
  normalise(solution.weights);
  solution.objective = squared_norm(problem, solution.weights);
  return solution;
}

}  // namespace

SolverEntry upgrad() {
  SolverEntry entry = solver_entry("upgrad", "mean of the gradients projected onto the cone without conflict",
                                   [] { return std::make_unique<UpGrad>(); });
  entry.uses_losses = false;
  entry.python_class = "UPGrad";
  entry.manual = {
      .formula = "v_i = argmin v^T C v  such that  v >= e_i;   w = (1/m) sum_i v_i",
      .cited = {"P. Quinton and V. Rey, \"Jacobian Descent for Multi-Objective Optimization\", "
                "arXiv:2406.16232, 2024"},
      .advice =
          "Use it for a direction that conflicts with no gradient and treats all objectives alike. "
          "It ignores the preference."};
  return entry;
}

}  // namespace pair::moo

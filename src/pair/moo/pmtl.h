#pragma once

#include <vector>

#include "pair/moo/solver.h"

// Pareto MTL (Lin et al. 2019): preference vectors cut the space of losses into sectors, and the search
// stays in the sector of its own.
//
// With unit vectors u_0 (its own) and u_1..u_K, the sector is {L : (u_k - u_0) . L <= 0 for all k}. The
// direction is the shortest vector in the hull of the gradients and of the gradients of the active
// constraints (those with (u_k - u_0) . L >= -tolerance |L|), all of which are combinations of the
// gradients:
//
//     w_i = lambda_i + sum over active k of mu_k (u_k - u_0)_i,   (lambda, mu) = min-norm weights
//
// A weight may be negative: leaving a wrong sector can ask for an objective to grow. Weights are divided
// by the sum of their absolute values, as the authors' code does.
//
// The constraints' gradients depend on the others, so that their Gram matrix is singular up to its rounding:
// where the gradients' norms are many decades apart, the weights are right to a few digits only. Where they
// are some 40 decades apart, the search for the shortest vector may not end at all. Then, and where the
// constraints cancel each other, the status is `infeasible` and the weights are those of the minimum-norm
// direction of the gradients alone.
//
// Solution::objective is the squared norm of the shortest vector.

namespace pair::moo {

class Pmtl : public Solver {
 public:
  // vectors: the other preference vectors, in the sense of Problem::preference (larger asks for less
  // loss). Empty: one vector an objective, each asking for that objective to stay as large as it likes
  // (the axes of loss space), which is what remains of the method when only one preference is known.
  explicit Pmtl(std::vector<std::vector<double>> vectors = {});
  [[nodiscard]] Solution weigh(const Problem& problem) const override;

 private:
  std::vector<std::vector<double>> vectors_;
};

}  // namespace pair::moo

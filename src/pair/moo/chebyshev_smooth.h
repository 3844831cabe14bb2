#pragma once

#include "pair/moo/solver.h"

// A smooth Chebyshev scalarisation: descends Phi(L) = sum_i (p_i L_i)^(1 + q) / (1 + q), whose weights are
//
//     w_i = p_i (p_i L_i)^q / sum_j p_j (p_j L_j)^q,  then w_i = max(w_i, least), divided by their sum
//
// q = 0 weighs by the preference alone (solver linear), q -> infinity by the most violated objective alone
// (solver chebyshev). In between the weights follow the stance of the losses, but as a power: losses that are
// wrong by a factor of two change a weight by 2^q, 19% at q = 1/4. That is what minibatches need. EPO's
// weights are a vertex of its polytope; from noisy numbers it is ERM's vertex now and then, and since ERM's
// gradient is a hundred times longer than those of the penalties, these few steps undo the others.
//
// The gradients are not looked at: conflict of the objectives is not resolved, only weighed. least keeps an
// objective that the preference hardly asks for, which is ERM where the preference is (1, 1e10, 1e12), from
// drifting where the others are flat.
//
// Solution::objective is the largest share p_i L_i / sum_j p_j L_j, 1/m on the preferred ray.

namespace pair::moo {

class ChebyshevSmooth : public Solver {
 public:
  // sharpness: q, in [0, 100]; least: in [0, 1e-2]. Throws std::invalid_argument otherwise.
  explicit ChebyshevSmooth(double sharpness = 0.25, double least = 1e-4);

  [[nodiscard]] Solution weigh(const Problem& problem) const override;

 private:
  double sharpness_;
  double least_;
};

}  // namespace pair::moo

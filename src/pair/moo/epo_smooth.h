#pragma once

#include "pair/moo/solver.h"

// EPO on normalised gradients, with weights that move gently.
//
// The vertices of EPO's linear program jump from one step to the next, and a gradient a thousand times
// shorter than another has no say in it. Here the program is that of epo.h for the unit vectors g_i / |g_i|
// (C becomes the matrix R of cosines), and where the weights beta' of the step before are known, a
// quadratic term keeps the new ones near:
//
//     maximise  c . beta / max_j |c_j|  -  smoothing / 2 |beta - beta'|^2    under the constraints of epo.h
//
// with c the program's objective. The weights returned belong to the gradients themselves:
// w_i = (beta_i / |g_i|) / sum_j (beta_j / |g_j|). Vanished gradients take no part and get no weight.
//
// Solution::objective is c . beta.

namespace pair::moo {

class EpoSmooth : public Solver {
 public:
  // smoothing in [1e-6, 1e6]: 0.01 hardly differs from EPO, 100 moves by at most 0.01 a step.
  explicit EpoSmooth(double epsilon = SolverOptions{}.epsilon, double smoothing = SolverOptions{}.smoothing);
  [[nodiscard]] Solution weigh(const Problem& problem) const override;

 private:
  double epsilon_;
  double smoothing_;
};

}  // namespace pair::moo

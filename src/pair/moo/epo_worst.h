#pragma once

#include "pair/moo/epo.h"

// EPO that does not stall: where its direction hardly lowers the most violated objective, that one goes
// first.
//
// EPO's balance direction g_b = G^T a lowers the divergence mu, and mu falls not only when the most violated
// objectives J* fall but also when others rise. Where the gradients of J* and of an objective that is "too
// low" point the same way and the latter's share a_i g_i is the larger, g_b points against J*: (C a)_j < 0
// for a j in J*. EPO forbids J* to rise, so that its program is left with weights under which nothing moves,
// at points where J* could still be lowered; and where g_b is almost orthogonal to J*, it creeps
// (docs/theory.md has a case with numbers). So where, for a j in J*,
//
//   cos(g_b, g_j) = (C a)_j / (|g_b| |g_j|) <= 0.1,
//
// the weights are
//
//   argmin |sum_{j in J*} w_j g_j|^2  over the simplex of J*: lowers every most violated objective
//
// (all weight on it where there is one). Elsewhere, and in the descent phase, they are EPO's. Such a step
// lowers max_i p_i L_i, which is what the preference is about, so that the rule can be in force for many
// steps in a row and still get somewhere; what the other objectives do meanwhile it leaves open.
//
// Solution::objective is that of EPO's program at the weights returned.

namespace pair::moo {

class EpoWorst : public Solver {
 public:
  explicit EpoWorst(double epsilon = SolverOptions{}.epsilon);
  [[nodiscard]] Solution weigh(const Problem& problem) const override;

 private:
  Epo epo_;
};

}  // namespace pair::moo

#pragma once

#include "pair/moo/solver.h"

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

class UpGrad : public Solver {
 public:
  [[nodiscard]] Solution weigh(const Problem& problem) const override;
};

}  // namespace pair::moo

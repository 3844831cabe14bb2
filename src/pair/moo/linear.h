#pragma once

#include "pair/moo/solver.h"

// Fixed weights: the preference itself, normalised. What the field does by default; it reaches no point of a
// concave part of the Pareto front, whatever the weights (Figure 1(c) of the paper).
//
//     w = p / sum(p)
//
// Solution::objective is w . L.

namespace pair::moo {

class Linear : public Solver {
 public:
  [[nodiscard]] Solution weigh(const Problem& problem) const override;
};

}  // namespace pair::moo

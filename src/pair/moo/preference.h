#pragma once

#include <vector>

#include "pair/moo/problem.h"

// The position of the losses relative to the preferred ray: the quantities of Appendix D.1 of the paper.

namespace pair::moo {

struct Stance {
  std::vector<double> preference;  // p / sum(p)
  std::vector<double> weighted;    // p_i L_i, up to a common factor
  std::vector<double> normalised;  // L-hat_i = p_i L_i / sum_j p_j L_j
  double divergence = 0.0;         // mu(L) = sum_i L-hat_i log(m L-hat_i); rounding may leave -1e-16
  std::vector<double> adjustment;  // a_i = p_i (log(m L-hat_i) - mu): coefficients of g_b in the gradients

  // J*: the objectives that diverge most from the preference. Values that differ only by rounding tie, and
  // all tied ones are included.
  [[nodiscard]] bool most_violated(std::size_t objective) const;
};

// The problem must be valid. A loss of zero counts as the smallest normal double in the logarithm, so that
// the adjustment stays finite; terms of mu below machine epsilon are dropped.
Stance stance_of(const Problem& problem);

}  // namespace pair::moo

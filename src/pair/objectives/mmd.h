#pragma once

#include "pair/objectives/objective.h"

namespace pair::objectives {

// MMD (Li et al., "Domain Generalization with Adversarial Feature Learning", CVPR 2018, as DomainBed has it):
// environments should agree on the distribution of the features. The mean over pairs of environments of the
// squared maximum mean discrepancy (Gretton et al., JMLR 2012; the biased estimate, which is never negative),
//
//   mean k(x, x') + mean k(y, y') - 2 mean k(x, y),
//   k(x, y) = sum over gamma in {1e-3, 1e-2, 0.1, 1, 10, 100, 1e3} of exp(-gamma |x - y|^2).
//
// Needs two environments.
class Mmd final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
};

}  // namespace pair::objectives

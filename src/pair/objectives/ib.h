#pragma once

#include "pair/objectives/objective.h"

namespace pair::objectives {

// IB, the information bottleneck of IB-IRM (Ahuja et al., "Invariance Principle Meets Information Bottleneck
// for Out-of-Distribution Generalization", NeurIPS 2021): the entropy of the features, bounded by their
// variance conditional on the environment,
//
//   1/|E| sum_e 1/d sum_j Var_e[phi_j],
//
// with the unbiased variance, as in the authors' release on ColoredMNIST (AC-CMNIST; its further conditioning
// on the class is off there) and in DomainBed's IB_IRM. Needs two samples an environment.
class Ib final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
};

}  // namespace pair::objectives

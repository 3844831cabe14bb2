#pragma once

#include "pair/objectives/objective.h"

namespace pair::objectives {

// CORAL (Sun and Saenko, "Deep CORAL: Correlation Alignment for Deep Domain Adaptation", ECCV 2016, as
// DomainBed has it): environments should agree on the mean and the covariance of the features. With m_e the
// mean and C_e the unbiased covariance, [d, d], the mean over pairs of environments of
//
//   mean over coordinates of (m_e - m_f)^2 + mean over entries of (C_e - C_f)^2.
//
// Needs two environments of two samples each.
class Coral final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
};

}  // namespace pair::objectives

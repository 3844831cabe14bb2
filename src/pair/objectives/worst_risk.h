#pragma once

#include "pair/objectives/objective.h"

namespace pair::objectives {

// max_e R_e: what group_dro's weights come to follow, and what PAIR-s judges GroupDRO by (Appendix G.2).
class WorstRisk final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
};

}  // namespace pair::objectives

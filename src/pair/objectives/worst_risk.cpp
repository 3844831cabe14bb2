#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"

// max_e R_e: the limit of group_dro, and the loss that PAIR-s uses for GroupDRO (Appendix G.2).

namespace pair::objectives {
namespace {

class WorstRisk final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
};

}  // namespace

torch::Tensor WorstRisk::value(const HeadView& view, data::Random& /*random*/) {
  return view.risks.max();
}

ObjectiveEntry worst_risk() {
  return objective_entry("worst_risk", "largest of the environments' risks",
                         [] { return std::make_unique<WorstRisk>(); });
}

}  // namespace pair::objectives

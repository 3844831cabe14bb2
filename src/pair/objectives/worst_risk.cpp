#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"

// max_e R_e: the limit of group_dro, and the loss that PAIR-s uses for GroupDRO (Appendix G.2).

namespace pair::objectives {
namespace {

class WorstRisk final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] bool of_moments() const override { return true; }
};

}  // namespace

torch::Tensor WorstRisk::value(const HeadView& view, data::Random& /*random*/) {
  return view.risks.max();
}

ObjectiveEntry worst_risk() {
  ObjectiveEntry entry = objective_entry("worst_risk", "largest of the environments' risks",
                                         [] { return std::make_unique<WorstRisk>(); });
  entry.manual = {.formula = "max_e R_e",
                  .cited = {"S. Sagawa, P. W. Koh, T. B. Hashimoto and P. Liang, \"Distributionally Robust "
                            "Neural Networks for Group Shifts: On the Importance of Regularization for "
                            "Worst-Case Generalization\", ICLR 2020"},
                  .advice =
                      "Use it to record the worst environment, with a penalty of 0: PAIR-s judges "
                      "`groupdro` by it. To minimise it, prefer `group_dro`, which does not jump "
                      "between environments."};
  return entry;
}

}  // namespace pair::objectives

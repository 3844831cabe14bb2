#include "pair/algorithms/recipes.h"

// The mean risk stays in the loss, at a thousandth of the weight; the worst risk is only recorded. The
// penalty only makes the mean risk negligible, so sweeps draw the step of the group weights instead.

namespace pair::algorithms {

AlgorithmEntry groupdro() {
  AlgorithmEntry entry =
      penalised("groupdro", "distributionally robust over environments (Sagawa et al. 2020)",
                "erm,group_dro,worst_risk", "1e3", 0);
  entry.domainbed = "GroupDRO";
  entry.defaults.front().settings.emplace_back("penalties", "1e3,0");
  const base::Distribution rate = base::LogUniform{10, -3, -1};
  entry.drawn = {{"cmnist", "groupdro_rate", rate, domainbed},
                 {"extrapolation", "groupdro_rate", rate, domainbed}};
  // The worst group's loss (Appendix G.2). DomainBed's records lack it; their loss, the weighted sum over
  // groups, replaces it (group_dro in our records).
  entry.losses = {{"worst_risk"}, {"group_dro"}, {"loss"}};
  entry.noisy_losses = true;
  entry.manual = {
      .formula = "(erm + 1000 group_dro + l2 |theta|^2) / 1000;   worst_risk is recorded, not minimised",
      .advice =
          "Use it when the worst training environment matters most. Sweep `groupdro_rate`, "
          "not the penalty: the penalty only says that the mean risk hardly counts."};
  return entry;
}

}  // namespace pair::algorithms

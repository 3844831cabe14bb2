#include "pair/algorithms/recipes.h"

namespace pair::algorithms {

AlgorithmEntry clove() {
  AlgorithmEntry entry =
      penalised("clove", "calibration in every environment (Wald et al. 2021)", "erm,clove", "100", 100);
  on_domainbed(entry, "100", 500, "0");
  draw_on_domainbed(entry, "penalty", wide_penalty, as_irm);
  draw_on_domainbed(entry, "pretrain", annealing, as_irm);
  entry.manual = {.advice =
                      "Use it when calibrated probabilities matter as much as accuracy. Classification "
                      "only."};
  return entry;
}

}  // namespace pair::algorithms

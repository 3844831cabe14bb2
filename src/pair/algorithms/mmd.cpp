#include "pair/algorithms/recipes.h"

namespace pair::algorithms {

AlgorithmEntry mmd() {
  AlgorithmEntry entry = penalised(
      "mmd", "features of one distribution in every environment (Li et al. 2018)", "erm,mmd", "1", 0);
  entry.domainbed = "MMD";
  draw_on_domainbed(entry, "penalty", base::LogUniform{10, -1, 1}).domainbed = {"mmd_gamma"};
  entry.manual = {.advice = "As `coral`; compare both. It is slower with large batches."};
  return entry;
}

}  // namespace pair::algorithms

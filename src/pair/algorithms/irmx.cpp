#include "pair/algorithms/recipes.h"

// The paper's IRMX under one penalty; it searches it as it does IRMv1. DomainBed does not have it.

namespace pair::algorithms {

AlgorithmEntry irmx() {
  AlgorithmEntry entry =
      penalised("irmx", "irmv1 and vrex summed under one penalty, the paper's IRMX without PAIR-o",
                "erm,irmv1,vrex", "1e4", 100, /*refresh=*/true);
  on_minibatches(entry, {"penalties", "100,1e4"});
  on_domainbed(entry, "100", 500, "1");
  draw_on_domainbed(entry, "penalty", wide_penalty, as_irm);
  draw_on_domainbed(entry, "pretrain", annealing, as_irm);
  return entry;
}

}  // namespace pair::algorithms

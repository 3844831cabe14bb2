#include "pair/algorithms/recipes.h"

namespace pair::algorithms {

AlgorithmEntry ib_erm() {
  AlgorithmEntry entry =
      penalised("ib-erm", "erm with an information bottleneck (Ahuja et al. 2021)", "erm,ib", "100", 100);
  entry.domainbed = "IB_ERM";
  on_domainbed(entry, "100", 500, "0");
  draw_on_domainbed(entry, "penalty", wide_penalty).domainbed = {"ib_lambda"};
  draw_on_domainbed(entry, "pretrain", annealing).domainbed = {"ib_penalty_anneal_iters"};
  entry.manual = {.advice =
                      "Use it as the control for `ib-irm`: it has the bottleneck without the "
                      "invariance penalty."};
  return entry;
}

}  // namespace pair::algorithms

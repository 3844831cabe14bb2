#include "pair/algorithms/recipes.h"

namespace pair::algorithms {

AlgorithmEntry fishr() {
  AlgorithmEntry entry =
      penalised("fishr", "matched variances of gradients (Rame et al. 2022)", "erm,fishr", "1e3", 150);
  entry.domainbed = "Fishr";
  on_domainbed(entry, "1000", 1'500, "0");
  draw_on_domainbed(entry, "penalty", base::LogUniform{10, 1, 4}).domainbed = {"lambda"};
  draw_on_domainbed(entry, "pretrain", base::Uniform{0, 5000, true}).domainbed = {"penalty_anneal_iters"};
  entry.manual = {.advice =
                      "Use it when environments should agree on the spread of the gradients as well as "
                      "on the risk. On ColoredMNIST, with full batches, set `fishr_ema=0`."};
  return entry;
}

}  // namespace pair::algorithms

#include "pair/algorithms/recipes.h"

namespace pair::algorithms {

AlgorithmEntry ib_irm() {
  AlgorithmEntry entry = penalised("ib-irm", "irmv1 with an information bottleneck (Ahuja et al. 2021)",
                                   "erm,irmv1,ib", "100", 100, /*refresh=*/true);
  entry.domainbed = "IB_IRM";
  on_domainbed(entry, "100", 500, "1");
  draw_on_domainbed(entry, "penalties", base::LogUniforms{{{10, -1, 5}, {10, -1, 5}}},
                    "DomainBed's irm_lambda and ib_lambda")
      .domainbed = {"irm_lambda", "ib_lambda"};
  draw_on_domainbed(
      entry, "pretrain", annealing,
      "DomainBed's irm_penalty_anneal_iters, here for both penalties, which weigh 1 until then; its "
      "ib_penalty_anneal_iters is another draw, and its IB weighs 0 until then")
      .domainbed = {"irm_penalty_anneal_iters", "ib_penalty_anneal_iters"};
  entry.manual = {
      .advice =
          "Use it instead of `irmv1` when the invariant features carry all information about the label. "
          "`penalties` sets one weight for IRMv1 and one for the bottleneck."};
  return entry;
}

}  // namespace pair::algorithms

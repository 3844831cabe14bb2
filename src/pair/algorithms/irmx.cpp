#include "pair/algorithms/recipes.h"

// The paper's IRMX under one penalty, searched like IRMv1's. DomainBed does not have it.

namespace pair::algorithms {

AlgorithmEntry irmx() {
  AlgorithmEntry entry =
      penalised("irmx", "irmv1 and vrex summed under one penalty, the paper's IRMX without PAIR-o",
                "erm,irmv1,vrex", "1e4", 100, /*refresh=*/true);
  on_minibatches(entry, {"penalties", "100,1e4"});
  on_domainbed(entry, "100", 500, "1");
  draw_on_domainbed(entry, "penalty", wide_penalty, as_irm);
  draw_on_domainbed(entry, "pretrain", annealing, as_irm);
  entry.manual = {.cited = {"Y. Chen, K. Zhou, Y. Bian, B. Xie, B. Wu, Y. Zhang, H. Yang, K. Ma, P. Zhao, B. "
                            "Han and J. Cheng, \"Pareto Invariant Risk Minimization: Towards Mitigating the "
                            "Optimization Dilemma in Out-of-Distribution Generalization\", ICLR 2023"},
                  .advice =
                      "Use it to see what a fixed penalty reaches with the objectives of `pair`. Sweep "
                      "the penalty; `penalties` sets one weight for each of the two objectives."};
  return entry;
}

}  // namespace pair::algorithms

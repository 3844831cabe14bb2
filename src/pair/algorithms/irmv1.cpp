#include "pair/algorithms/recipes.h"

// Penalty and annealing are those of the authors' released code. According to Appendix F.1 of the paper, a
// fresh Adam after annealing helps IRMv1; over ten seeds here it costs 1.4 and 2.6 points (docs/paper.md), so
// Adam continues.

namespace pair::algorithms {

AlgorithmEntry irmv1() {
  AlgorithmEntry entry =
      penalised("irmv1", "invariant risk minimisation, the practical form (Arjovsky et al. 2019)",
                "erm,irmv1", "1e5", 100);
  entry.domainbed = "IRM";
  entry.defaults.push_back({"cmnist-m", {{"pretrain", "150"}}});
  on_minibatches(entry, {"penalty", "1e4"});
  entry.defaults.push_back(
      {.where = "cmnist-m", .settings = {{"pretrain", "1000"}}, .minibatches = true, .pretrain_thirds = 2});
  on_domainbed(entry, "100", 500, "1");
  draw_on_domainbed(entry, "penalty", wide_penalty).domainbed = {"irm_lambda"};
  draw_on_domainbed(entry, "pretrain", annealing).domainbed = {"irm_penalty_anneal_iters"};
  entry.manual = {.advice =
                      "Use it to compare with the literature on invariant learning. Its result depends "
                      "on the penalty and on the length of the pretraining, so plan a sweep over both. "
                      "To avoid that search, use `pair`."};
  return entry;
}

}  // namespace pair::algorithms

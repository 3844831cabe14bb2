#include "pair/algorithms/recipes.h"

namespace pair::algorithms {

AlgorithmEntry vrex() {
  AlgorithmEntry entry = penalised(
      "vrex", "risk extrapolation: the variance of the risks (Krueger et al. 2021)", "erm,vrex", "1e4", 100);
  entry.domainbed = "VREx";
  on_minibatches(entry, {"penalty", "1e4"});
  on_domainbed(entry, "10", 500, "1");
  draw_on_domainbed(
      entry, "penalty", wide_penalty,
      "DomainBed, whose variance is biased: with n training environments the penalty here is n/(n-1) of "
      "its, twice with 2")
      .domainbed = {"vrex_lambda"};
  draw_on_domainbed(entry, "pretrain", annealing).domainbed = {"vrex_penalty_anneal_iters"};
  entry.manual = {.advice =
                      "A strong and cheap baseline on ColoredMNIST. Sweep the penalty and the "
                      "pretraining."};
  return entry;
}

}  // namespace pair::algorithms

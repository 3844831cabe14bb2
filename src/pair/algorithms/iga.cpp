#include "pair/algorithms/recipes.h"

namespace pair::algorithms {

AlgorithmEntry iga() {
  AlgorithmEntry entry = penalised("iga", "inter-environment gradient alignment (Koyama and Yamaguchi 2020)",
                                   "erm,iga", "1e3", 100);
  entry.domainbed = "IGA";
  on_domainbed(entry, "1000", 0, "1");
  draw_on_domainbed(
      entry, "penalty", base::LogUniform{10, 1, 5},
      "DomainBed, which sums over environments instead of averaging: with n training environments, the "
      "penalty here is 1/n of its, half with 2");
  entry.manual = {.advice =
                      "Use it on small networks: each step takes several backward passes through the "
                      "whole network."};
  return entry;
}

}  // namespace pair::algorithms

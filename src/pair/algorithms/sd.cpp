#include "pair/algorithms/recipes.h"

namespace pair::algorithms {

AlgorithmEntry sd() {
  AlgorithmEntry entry =
      penalised("sd", "spectral decoupling: small logits (Pezeshki et al. 2021)", "erm,sd", "0.1", 0);
  entry.domainbed = "SD";
  const base::Distribution penalty = base::LogUniform{10, -5, -1};
  drawn_of(entry, "cmnist", "penalty") = {.where = "cmnist",
                                          .setting = "penalty",
                                          .distribution = penalty,
                                          .source = domainbed,
                                          .paper = f1_penalty};
  draw_on_domainbed(entry, "penalty", penalty).domainbed = {"sd_reg"};
  entry.manual = {.advice =
                      "Use it when there is only one training environment, or when the environments "
                      "are not informative. Sweep small penalties (1e-5 to 0.1)."};
  return entry;
}

}  // namespace pair::algorithms

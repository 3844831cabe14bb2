#include "pair/algorithms/recipes.h"

namespace pair::algorithms {

AlgorithmEntry coral() {
  AlgorithmEntry entry =
      penalised("coral", "features of equal mean and covariance in every environment (Sun and Saenko 2016)",
                "erm,coral", "1", 0);
  entry.domainbed = "CORAL";
  draw_on_domainbed(entry, "penalty", base::LogUniform{10, -1, 1}).domainbed = {"mmd_gamma"};
  entry.manual = {.advice =
                      "A common choice for images from different cameras, sites or styles, with "
                      "similar class frequencies in each."};
  return entry;
}

}  // namespace pair::algorithms

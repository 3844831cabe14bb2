#include "pair/algorithms/recipes.h"

namespace pair::algorithms {

AlgorithmEntry erm() {
  AlgorithmEntry entry =
      penalised("erm", "empirical risk minimisation: the mean of the environments' risks", "erm", "1", 0);
  entry.domainbed = "ERM";
  return entry;
}

}  // namespace pair::algorithms

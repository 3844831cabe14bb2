#include "pair/algorithms/recipes.h"

namespace pair::algorithms {

AlgorithmEntry erm() {
  AlgorithmEntry entry =
      penalised("erm", "empirical risk minimisation: the mean of the environments' risks", "erm", "1", 0);
  entry.domainbed = "ERM";
  entry.manual = {.advice =
                      "Run it first, as the baseline that every other algorithm has to beat. It is the "
                      "right choice when the test environments resemble the training environments."};
  entry.losses.emplace_back();  // none for PAIR-s: it has no loss but its own
  return entry;
}

}  // namespace pair::algorithms

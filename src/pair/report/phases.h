#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pair/select/history.h"

namespace pair::report {

// A stretch of a PAIR-o run, from a step to a step.
struct Phase {
  std::string name;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

// The three phases of Figure 4b. Fitting is PAIR-o's descent phase, with all weight on ERM; Adaption begins
// with its balance phase; Generalization once the OOD objectives together have more than half of the weight
// for good: the solver's weights jump, so it is their mean over a twentieth of the balance phase, at least 5
// records, that counts. Empty where the run never balances; without Generalization where that never comes.
std::vector<Phase> phases_of(const select::Run& run);

}  // namespace pair::report

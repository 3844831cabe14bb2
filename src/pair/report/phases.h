#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pair/select/history.h"

namespace pair::report {

// A range of steps of a PAIR-o run.
struct Phase {
  std::string name;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

// The three phases of Figure 5b. Fitting is PAIR-o's descent phase, with all weight on ERM. Adaption begins
// with its balance phase. Generalization begins when the OOD objectives together have more than half of the
// weight for good. The solver's weights jump, so this is decided by their mean over a twentieth of the
// balance phase, at least 5 records. Empty if the run never balances; without Generalization if it is never
// reached.
std::vector<Phase> phases_of(const select::Run& run);

}  // namespace pair::report

#pragma once

#include <cstdint>

#include "pair/runs/run_spec.h"

// The steps after which a run is recorded: eval_first, or eval_every if that is 0, every eval_every steps from
// there, and the last one. All ranks score these steps; rank 0 writes the records.

namespace pair::runs {

// Whether the run has a record after `step` steps.
bool is_recorded(const RunSpec& spec, std::int64_t step);

// The number of records still to come after `step` steps.
std::int64_t records_left(const RunSpec& spec, std::int64_t step);

}  // namespace pair::runs

#pragma once

#include <vector>

#include "pair/runs/run_spec.h"

namespace pair::paper {

// Settings common to the runs of a recipe, as for 'pair train --set', such as device, threads and quick
// trials.
using Overrides = std::vector<runs::Override>;

}  // namespace pair::paper

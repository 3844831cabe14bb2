#pragma once

#include <vector>

#include "pair/runs/run_spec.h"

namespace pair::paper {

// What is common to the runs of a recipe: settings as 'pair train --set' takes them, for device, threads and
// quick trials.
using Overrides = std::vector<runs::Override>;

}  // namespace pair::paper

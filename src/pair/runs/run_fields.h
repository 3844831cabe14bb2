#pragma once

#include <vector>

#include "pair/base/options.h"

// The settings that a run has besides those of its data, training and extensions: seed, records, device, ...
// Their owner is a RunSpec.

namespace pair::runs {

const std::vector<base::Field>& run_fields();

}  // namespace pair::runs

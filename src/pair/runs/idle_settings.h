#pragma once

#include <string>
#include <vector>

#include "pair/runs/run_spec.h"

namespace pair::runs {

// One sentence per setting that was changed but has no effect beside the run's other settings, such as
// schedule_every without schedule=step. A value counts as changed if it is not the default of the run's
// dataset and algorithm: their defaults are for runs of many kinds, and never lead to a sentence.
std::vector<std::string> idle_settings_of(const RunSpec& spec);

}  // namespace pair::runs

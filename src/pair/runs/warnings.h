#pragma once

#include <span>
#include <string>
#include <vector>

#include "pair/runs/run_spec.h"

namespace pair::runs {

// One sentence per suspicious combination of settings that are valid but probably not intended: a run whose
// pretrain is not below its steps never balances its objectives (PAIR-o) or never applies its penalty (the
// linear scheme). Empty if there is none.
std::vector<std::string> warnings_of(std::span<const RunSpec> specs);

}  // namespace pair::runs

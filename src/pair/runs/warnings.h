#pragma once

#include <span>
#include <string>
#include <vector>

#include "pair/runs/run_spec.h"

namespace pair::runs {

// What a user should know before runs begin that are valid and hardly meant so, a sentence each: a run whose
// pretrain is not below its steps never balances its objectives (PAIR-o), or never applies its penalty (the
// linear scheme). Empty where there is nothing to say.
std::vector<std::string> warnings_of(std::span<const RunSpec> specs);

}  // namespace pair::runs

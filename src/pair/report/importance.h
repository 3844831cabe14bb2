#pragma once

#include <cstddef>
#include <vector>

#include "pair/report/sources.h"

namespace pair::report {

// The indices of all runs, most interesting first: runs that a criterion chose, the first run of each method,
// unfinished runs; then the others, alternating between methods.
std::vector<std::size_t> by_importance(const Sources& sources);

}  // namespace pair::report

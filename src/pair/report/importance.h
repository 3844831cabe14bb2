#pragma once

#include <cstddef>
#include <vector>

#include "pair/report/sources.h"

namespace pair::report {

// All runs, by index, those first that a reader will want to see step by step: what a criterion chose, the
// first of each method, what is not done; then the others, the methods taking turns.
std::vector<std::size_t> by_importance(const Sources& sources);

}  // namespace pair::report

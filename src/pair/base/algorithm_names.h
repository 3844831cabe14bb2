#pragma once

#include <string>
#include <string_view>

#include "pair/base/names.h"

// Algorithms that DomainBed has as well, under names of its own: its IRM is our irmv1, its IB_ERM our ib-erm.
// For records that do not say so: DomainBed's own, and those of our older runs. Algorithms that are new
// since then have no place here: their records hold the name (args.domainbed), from their entry.

namespace pair::base {

// DomainBed's name of an algorithm, given DomainBed's or ours in any spelling (irm, IRM, IRMv1). Empty if only
// one of the two has it.
std::string_view domainbed_algorithm(std::string_view name);

// Whether two names denote the same algorithm.
bool same_algorithm(std::string_view a, std::string_view b);

}  // namespace pair::base

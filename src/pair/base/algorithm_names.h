#pragma once

#include <string>
#include <string_view>

#include "pair/base/names.h"

// Algorithms that DomainBed has as well, under names of its own: its IRM is our irmv1, its IB_ERM our ib-erm.
// For records that do not say so: DomainBed's own, and those of our older runs. Algorithms that are new
// since then have no place here: their records hold the name (args.domainbed), from their entry.

namespace pair::base {

// Our name of the algorithm for DomainBed's or ours, however it is written (irm, IRM, IRMv1); empty for one
// that only one of the two has.
std::string_view our_algorithm(std::string_view name);

// DomainBed's name for the same; empty likewise.
std::string_view domainbed_algorithm(std::string_view name);

// Whether two names mean one algorithm.
bool same_algorithm(std::string_view a, std::string_view b);

}  // namespace pair::base

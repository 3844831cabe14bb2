#pragma once

#include <string>
#include <string_view>

#include "pair/base/names.h"

// Algorithms that DomainBed also has, under other names: its IRM is our irmv1, its IB_ERM our ib-erm.

namespace pair::base {

// Our name of an algorithm, given DomainBed's or ours in any spelling (irm, IRM, IRMv1). Empty if only one of
// the two has it.
std::string_view our_algorithm(std::string_view name);

// DomainBed's name of the same; empty if only one of the two has it.
std::string_view domainbed_algorithm(std::string_view name);

// Whether two names denote the same algorithm.
bool same_algorithm(std::string_view a, std::string_view b);

}  // namespace pair::base

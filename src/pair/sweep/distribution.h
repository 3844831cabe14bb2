#pragma once

#include <string>

#include "pair/base/distribution.h"
#include "pair/data/random.h"

// Draws from the distributions of base/distribution.h.

namespace pair::sweep {

// Numbers are rounded to six digits: the last digits may differ between machines' math libraries, and would
// change the run's name.
std::string draw(const base::Distribution& distribution, data::Random& random);

}  // namespace pair::sweep

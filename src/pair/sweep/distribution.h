#pragma once

#include <string>

#include "pair/base/distribution.h"
#include "pair/data/random.h"

// Draws from what base/distribution.h describes.

namespace pair::sweep {

// Numbers have six digits: the seventeenth, which another machine's library may round another way, would give
// the run another name there.
std::string draw(const base::Distribution& distribution, data::Random& random);

}  // namespace pair::sweep

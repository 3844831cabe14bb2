#pragma once

#include <span>
#include <string>

#include "pair/base/distribution.h"
#include "pair/data/numpy_random.h"
#include "pair/data/random.h"

// Draws from the distributions of base/distribution.h.

namespace pair::sweep {

// Numbers are rounded to six digits: the last digits may differ between machines' math libraries, and would
// change the run's name.
std::string draw(const base::Distribution& distribution, data::Random& random);

// The same as DomainBed draws it, with one generator per number of a list. Numbers have all their digits, and
// are multiplied by scale.
std::string draw(const base::Distribution& distribution, std::span<data::NumpyRandom> randoms, double scale);

}  // namespace pair::sweep

#pragma once

#include "pair/data/random.h"

namespace pair::algorithms {

// A draw from Beta(alpha, alpha); alpha at least 0.1.
double draw_beta(double alpha, data::Random& random);

}  // namespace pair::algorithms

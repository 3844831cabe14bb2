#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pair/data/random.h"

namespace pair::algorithms {

// A partner for each sample, drawn uniformly from the samples that have the same number in `same` and another one in
// `other`; its own index if there are none. LISA pairs samples of one label and different environments, or the
// reverse. Takes n log n operations: on full batches, n is tens of thousands.
std::vector<std::int64_t> partners_of(std::span<const double> same, std::span<const double> other,
                                      data::Random& random);

}  // namespace pair::algorithms

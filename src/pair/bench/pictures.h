#pragma once

#include <cstdint>
#include <memory>

#include "pair/data/environment.h"

namespace pair::bench {

// Environments with the shape of DomainBed's ColoredMNIST, [samples, 2, 28, 28] bytes and two classes. The
// time of a step does not depend on the content of the images. held_out: number of samples that are scored; 0
// for none.
std::shared_ptr<const data::EnvironmentSet> domainbed_pictures(int environments, std::int64_t samples,
                                                               std::int64_t held_out = 0);

}  // namespace pair::bench

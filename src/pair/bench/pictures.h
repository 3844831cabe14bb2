#pragma once

#include <cstdint>
#include <memory>

#include "pair/data/environment.h"

namespace pair::bench {

// Environments of DomainBed's ColoredMNIST in shape, [samples, 2, 28, 28] bytes and two classes, to measure
// steps by: how long one takes does not depend on what is in the pictures. held_out: samples that are scored,
// none where 0.
std::shared_ptr<const data::EnvironmentSet> domainbed_pictures(int environments, std::int64_t samples,
                                                               std::int64_t held_out = 0);

}  // namespace pair::bench

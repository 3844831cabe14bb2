#pragma once

#include <cstdint>

#include "pair/data/environment.h"
#include "pair/data/extrapolation_spec.h"

namespace pair::data {

// Inputs are float [n, 2], the points (X1, X2); labels are float [n], sin(frequency X1) + 1. Training uses
// env0_in (the lower environment) and env1_in (the upper one). Held out are env2_in and env2_out, two draws
// from the uniform distribution over the whole square: the paper selects on such points, so testing needs
// different ones. Only env2_out counts as the test.
//
// The seed determines all draws, with one stream per environment, so that fewer points are a prefix of more.
EnvironmentSet extrapolation(const ExtrapolationSpec& spec, std::uint64_t seed);

}  // namespace pair::data

#pragma once

#include <cstdint>

#include "pair/data/environment.h"
#include "pair/data/extrapolation_spec.h"

namespace pair::data {

// Inputs are float [n, 2], the points (X1, X2); labels float [n], sin(frequency X1) + 1. Trained on are
// env0_in (the lower environment) and env1_in (the upper one); held out are env2_in and env2_out, two draws
// from the uniform distribution over the whole square: the paper chooses by such points, and to test on the
// points one chose by would flatter. Only env2_out counts as the test.
//
// The seed alone decides every draw, each environment from a stream of its own, so that more points are the
// fewer ones and some more.
EnvironmentSet extrapolation(const ExtrapolationSpec& spec, std::uint64_t seed);

}  // namespace pair::data

#pragma once

#include <cstdint>

#include "pair/data/environment.h"
#include "pair/train/learner.h"
#include "pair/train/settings.h"

// Checks whether an algorithm and its data fit each other.

namespace pair::train {

// Throws std::invalid_argument if steps use only some of the environments and the algorithm keeps state per
// environment, such as an adversary or an objective's state; and if batches in several parts (accumulate) do
// not fit the algorithm or the environments.
void require_fit(const Learner& learner, const Settings& settings);

// Reports to learner.link: settings without effect for this model or these environments, and steps that
// cannot be recorded.
void notify_of_fit(Learner& learner, const Settings& settings, const data::EnvironmentSet& data);

}  // namespace pair::train

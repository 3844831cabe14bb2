#pragma once

#include <cstdint>

#include "pair/data/environment.h"
#include "pair/train/learner.h"
#include "pair/train/settings.h"

// Whether a method and its data fit each other.

namespace pair::train {

// Throws std::invalid_argument where steps take some of the environments and the method keeps something for
// each: an adversary that tells them apart, an objective's memory.
void require_all_environments(const Learner& learner, const Settings& settings);

// Tells learner.link what a person should know of a run like this: settings that change nothing with this
// model or these environments, steps that cannot be recorded.
void notify_of_fit(Learner& learner, const Settings& settings, const data::EnvironmentSet& data);

}  // namespace pair::train

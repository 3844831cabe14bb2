#pragma once

#include "pair/data/environment.h"
#include "pair/models/registry.h"

namespace pair::train {

// What a model for the data takes and gives. data.train must not be empty.
models::ModelInput model_input(const data::EnvironmentSet& data);

}  // namespace pair::train

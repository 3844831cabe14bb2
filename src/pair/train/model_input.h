#pragma once

#include "pair/data/environment.h"
#include "pair/models/registry.h"

namespace pair::train {

// The inputs and outputs of a model for the data. data.train must not be empty.
models::ModelInput model_input(const data::EnvironmentSet& data);

}  // namespace pair::train

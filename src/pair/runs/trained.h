#pragma once

#include <filesystem>

#include "pair/runs/dataset_cache.h"
#include "pair/runs/run_spec.h"
#include "pair/train/trainer.h"

namespace pair::runs {

// The model of a finished run, as a trainer at its last step. Throws std::runtime_error if the run has not
// finished or its checkpoint cannot be read, and the errors of RunDirectory::finished.
train::Trainer trained(const RunSpec& spec, const std::filesystem::path& directory, DatasetCache& datasets);

}  // namespace pair::runs

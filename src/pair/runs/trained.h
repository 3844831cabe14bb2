#pragma once

#include <filesystem>

#include "pair/runs/dataset_cache.h"
#include "pair/runs/run_spec.h"
#include "pair/train/trainer.h"

namespace pair::runs {

// The model of a finished run, as a trainer at its last step. Only reads, so several processes may call it for one run,
// and the folder may be read-only. Throws the errors of final_state (run_directory.h).
train::Trainer trained(const RunSpec& spec, const std::filesystem::path& directory, DatasetCache& datasets);

}  // namespace pair::runs

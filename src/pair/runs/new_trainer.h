#pragma once

#include "pair/runs/dataset_cache.h"
#include "pair/runs/run_spec.h"
#include "pair/train/trainer.h"

namespace pair::runs {

// A trainer of the spec's run before its first step, with random parameters. Also sets what LibTorch and
// OpenBLAS keep per process and the records depend on: the number of threads and, on a CUDA device, whether
// products are in TF32.
train::Trainer new_trainer(const RunSpec& spec, DatasetCache& datasets, const train::Ranks& ranks);

}  // namespace pair::runs

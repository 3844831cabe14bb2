#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair bench gpu: steps, runs and many runs at once on a CUDA device, each beside its floor.
void add_bench_gpu(CLI::App& bench, Context& context);

}  // namespace pair::cli

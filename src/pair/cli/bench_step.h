#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair bench step: milliseconds a training step of each method, and of the matrix products it cannot avoid.
void add_bench_step(CLI::App& bench, Context& context);

}  // namespace pair::cli

#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair bench extrapolation: microseconds a step of each method on the extrapolation example.
void add_bench_extrapolation(CLI::App& bench, Context& context);

}  // namespace pair::cli

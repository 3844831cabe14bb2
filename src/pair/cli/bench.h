#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair bench NAME: the group that measurements are added to, each with a function like add_bench_solver.
CLI::App& add_bench(CLI::App& app);

// pair bench solver: EPO's time a solve, and GLPK's on the same problems where the build has it.
void add_bench_solver(CLI::App& bench, Context& context);

}  // namespace pair::cli

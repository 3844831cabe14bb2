#pragma once

#include <string>

#include "pair/cli/command.h"

namespace pair::cli {

// pair bench NAME: the group that measurements are added to, each with a function like add_bench_solver.
CLI::App& add_bench(CLI::App& app);

// pair bench solver: EPO's time a solve, and GLPK's on the same problems where the build has it.
void add_bench_solver(CLI::App& bench, Context& context);

// pair bench select: seconds to read a sweep of 10,000 runs and to apply every criterion, and the memory.
void add_bench_select(CLI::App& bench, Context& context);

// pair bench watch: seconds until 'pair watch' shows a large sweep and a record that is new, and the memory.
void add_bench_watch(CLI::App& bench, Context& context);

// The processor's name, as Linux knows it.
std::string cpu_model();

}  // namespace pair::cli

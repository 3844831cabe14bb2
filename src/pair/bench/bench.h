#pragma once

#include <string>

#include "pair/cli/command.h"

// 'pair bench NAME': measurements, one file each. They are a program of their own (main.cpp), which 'pair'
// becomes for this command, so that those who want to train need not build them.

namespace pair::bench {

using cli::Context;
using cli::UsageError;

// The group that measurements are added to.
CLI::App& add_bench(CLI::App& app);

// pair bench solver: EPO's time per solve, and GLPK's on the same problems where the build has it.
void add_bench_solver(CLI::App& bench, Context& context);

// pair bench select: seconds to read a sweep of 10,000 runs and to apply every criterion, and the memory.
void add_bench_select(CLI::App& bench, Context& context);

// pair bench watch: seconds until 'pair watch' shows a large sweep and a new record, and the memory.
void add_bench_watch(CLI::App& bench, Context& context);

// pair bench table: seconds to read a large CSV file, against pandas, and the memory.
void add_bench_table(CLI::App& bench, Context& context);

// Those that need LibTorch; a build without it has none of them.
//
// pair bench step: a training step of each method, and its floor.
void add_bench_step(CLI::App& bench, Context& context);
// pair bench domainbed: an ERM step of DomainBed's network, against one in Python.
void add_bench_domainbed(CLI::App& bench, Context& context);
// pair bench extrapolation: a training step on the extrapolation example.
void add_bench_extrapolation(CLI::App& bench, Context& context);
// pair bench gpu: steps, runs and many runs at once on a CUDA device.
void add_bench_gpu(CLI::App& bench, Context& context);

// The processor's name, as Linux knows it.
std::string cpu_model();

}  // namespace pair::bench

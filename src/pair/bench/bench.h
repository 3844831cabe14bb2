#pragma once

#include <string>

#include "pair/cli/command.h"

// 'pair bench NAME': benchmarks, one file each. They are a separate program (main.cpp) that 'pair' executes
// for this command, so that a build for training does not include them.

namespace pair::bench {

using cli::Context;
using cli::UsageError;

// The group that benchmarks are added to.
CLI::App& add_bench(CLI::App& app);

// pair bench solver: EPO's time per solve, and GLPK's on the same problems if the build has it.
void add_bench_solver(CLI::App& bench, Context& context);

// pair bench select: time and memory to read a sweep of 10,000 runs and apply every criterion.
void add_bench_select(CLI::App& bench, Context& context);

// pair bench watch: time and memory until 'pair watch' shows a large sweep and a new record.
void add_bench_watch(CLI::App& bench, Context& context);

// pair bench table: time and memory to read a large CSV file, compared with pandas.
void add_bench_table(CLI::App& bench, Context& context);

// The following need LibTorch; a build without it lacks them.
//
// pair bench step: a training step of each method, and its lower bound.
void add_bench_step(CLI::App& bench, Context& context);
// pair bench domainbed: an ERM step of DomainBed's network, compared with Python.
void add_bench_domainbed(CLI::App& bench, Context& context);
// pair bench sweep: the state of a folder with 60,000 runs, and what two launchers lose to looking for work.
void add_bench_sweep(CLI::App& bench, Context& context);
// pair bench ranks: steps of ColoredMNIST on two processes, compared with one.
void add_bench_ranks(CLI::App& bench, Context& context);
// pair bench extrapolation: a training step on the extrapolation example.
void add_bench_extrapolation(CLI::App& bench, Context& context);
// pair bench text: the tokenizer's speed, and steps of DistilBERT compared with PyTorch's eager mode.
void add_bench_text(CLI::App& bench, Context& context);
// pair bench images: decoding, augmenting and steps on images, compared with torchvision and PyTorch.
void add_bench_images(CLI::App& bench, Context& context);
// pair bench gpu: steps, single runs and concurrent runs on a CUDA device.
void add_bench_gpu(CLI::App& bench, Context& context);

// The processor's name, as Linux reports it.
std::string cpu_model();

}  // namespace pair::bench

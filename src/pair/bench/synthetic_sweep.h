#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

namespace pair::bench {

// Writes a synthetic sweep with DomainBed's keys in its order: run folders with results.jsonl and done,
// datasets of 3 or 4 environments with one or two test environments, five algorithms, 3 trials, 20 draws of
// hyperparameters. Writes at most 10,800 runs, the number of different ones. Returns the bytes written.
std::uint64_t write_bench_sweep(const std::filesystem::path& folder, std::size_t runs, std::size_t records,
                                std::uint64_t seed);

inline constexpr std::size_t most_bench_runs = 10'800;

// The arguments of benchmarks on a synthetic sweep.
struct BenchSweepArguments {
  std::size_t runs = 0;
  std::size_t records = 0;  // per run
  std::size_t repeats = 0;
  std::uint64_t seed = 1;
  bool json = false;
};

// Adds --runs, --records, --repeats (with the given help text), --seed and --json.
void add_bench_sweep_options(CLI::App& command, const std::shared_ptr<BenchSweepArguments>& arguments,
                             const std::string& repeats);

// Writes the sweep, reports it on err, and calls work with its folder. The folder is deleted afterwards, even
// if the process is stopped or killed.
void with_bench_sweep(const BenchSweepArguments& arguments, std::ostream& err,
                      const std::function<void(const std::filesystem::path&)>& work);

}  // namespace pair::bench

#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

namespace pair::bench {

// Writes a made-up sweep with DomainBed's keys and order: run folders with results.jsonl and done, datasets
// of 3 to 4 environments with one and two test environments, five algorithms, 3 trials, 20 draws of
// hyperparameters. At most 10,800 runs differ; so many are written at most. Returns the bytes written.
std::uint64_t write_bench_sweep(const std::filesystem::path& folder, std::size_t runs, std::size_t records,
                                std::uint64_t seed);

inline constexpr std::size_t most_bench_runs = 10'800;

// What benchmarks on such a sweep are told.
struct BenchSweepArguments {
  std::size_t runs = 0;
  std::size_t records = 0;  // a run
  std::size_t repeats = 0;
  std::uint64_t seed = 1;
  bool json = false;
};

// --runs, --records, --repeats with its own words, --seed and --json.
void add_bench_sweep_options(CLI::App& command, const std::shared_ptr<BenchSweepArguments>& arguments,
                             const std::string& repeats);

// Writes the sweep, says so on err, and calls work with its folder, which is gone afterwards,
// also where the process is stopped or killed meanwhile.
void with_bench_sweep(const BenchSweepArguments& arguments, std::ostream& err,
                      const std::function<void(const std::filesystem::path&)>& work);

template <class Function>
double seconds_of(Function function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The most that this process has had in memory so far, the libraries it shares with others included.
double peak_megabytes();

}  // namespace pair::bench

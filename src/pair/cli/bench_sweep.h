#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace pair::cli {

// Writes a made-up sweep with DomainBed's keys and order: run folders with results.jsonl and done, datasets
// of 3 to 4 environments with one and two test environments, five algorithms, 3 trials, 20 draws of
// hyperparameters. At most 10,800 runs differ; so many are written at most. Returns the bytes written.
std::uint64_t write_bench_sweep(const std::filesystem::path& folder, std::size_t runs, std::size_t records,
                                std::uint64_t seed);

inline constexpr std::size_t most_bench_runs = 10'800;

}  // namespace pair::cli

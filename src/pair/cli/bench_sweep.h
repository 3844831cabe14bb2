#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace pair::cli {

// Writes a made-up sweep with DomainBed's keys and order: run folders with results.jsonl and done, datasets
// of 3 to 4 environments with one and two test environments, five algorithms, 3 trials, 20 draws of
// hyperparameters. At most 10,800 runs differ; so many are written at most. Returns the bytes written.
std::uint64_t write_bench_sweep(const std::filesystem::path& folder, std::size_t runs, std::size_t records,
                                std::uint64_t seed);

inline constexpr std::size_t most_bench_runs = 10'800;

// A new folder for a benchmark's files, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

template <class Function>
double seconds_of(Function function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The upper one of two in the middle.
double median(std::vector<double> values);

// The most that this process has had in memory so far, the libraries it shares with others included.
double peak_megabytes();

}  // namespace pair::cli

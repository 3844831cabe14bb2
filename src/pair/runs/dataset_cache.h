#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "pair/data/registry.h"

namespace pair::data {
struct EnvironmentSet;
}

namespace pair::runs {

// The data of concurrent runs, made once per spec and seed. Thread-safe.
class DatasetCache {
 public:
  // Keeps the last `kept` sets requested (about 130 MB each for ColoredMNIST at full size), in addition to
  // those in use.
  explicit DatasetCache(std::size_t kept = 2);
  ~DatasetCache();
  DatasetCache(const DatasetCache&) = delete;
  DatasetCache& operator=(const DatasetCache&) = delete;

  // The set on a device, one copy for all runs there. Concurrent requests for the same set wait for the
  // first. Throws std::invalid_argument if data::validate does, and std::runtime_error if files are missing.
  std::shared_ptr<const data::EnvironmentSet> get(const data::Dataset& dataset, std::uint64_t seed,
                                                  const std::string& device = "cpu");

  // Keeps only the sets in use. For use when memory has run out.
  void forget();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pair::runs

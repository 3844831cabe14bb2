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

// The data of runs side by side, made once for the same spec and seed. Any thread may ask.
class DatasetCache {
 public:
  // Keeps the sets asked for last, so many (some 130 MB each for ColoredMNIST at its full size), beside
  // those that a run still holds.
  explicit DatasetCache(std::size_t kept = 2);
  ~DatasetCache();
  DatasetCache(const DatasetCache&) = delete;
  DatasetCache& operator=(const DatasetCache&) = delete;

  // The set on a device, one copy for all runs there. Whoever asks while another makes it waits for it.
  // Throws std::invalid_argument where data::validate does, and std::runtime_error where files are missing.
  std::shared_ptr<const data::EnvironmentSet> get(const data::Dataset& dataset, std::uint64_t seed,
                                                  const std::string& device = "cpu");

  // Keeps none but those that a run holds: where memory has run out.
  void forget();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pair::runs

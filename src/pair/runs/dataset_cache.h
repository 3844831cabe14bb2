#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "pair/data/dataset_spec.h"

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

  // Whoever asks while another makes the set waits for it. Throws std::invalid_argument where
  // data::validate does, and std::runtime_error where files are missing.
  std::shared_ptr<const data::EnvironmentSet> get(const data::DatasetSpec& spec, std::uint64_t seed);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pair::runs

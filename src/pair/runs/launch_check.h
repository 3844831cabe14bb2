#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "pair/runs/dataset_cache.h"
#include "pair/runs/run_spec.h"

namespace pair::data {
struct EnvironmentSet;
}

namespace pair::runs {

// Identifies the model of a run and the weights that it starts from.
std::string model_key(const RunSpec& spec);

// The checks of one launch, before it makes its runs' folders. That listed images exist, and that weights match a
// model, is checked once for all runs that share them.
class LaunchCheck {
 public:
  // Throws std::invalid_argument if the run's model does not take the data or does not start from the run's weights,
  // and if files that the data lists do not exist; base::FileError if the weights exist but cannot be read.
  void require_trainable(const RunSpec& spec, const data::EnvironmentSet& data);
  // The same with the spec's data, which is kept in `datasets` for run(). Throws the errors of run() for invalid
  // data.
  void require_trainable(const RunSpec& spec, DatasetCache& datasets);

 private:
  std::set<std::filesystem::path> lists_;  // of images that exist
  std::set<std::string> starts_;           // models on inputs, with weights that match
};

}  // namespace pair::runs

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "pair/runs/run.h"
#include "pair/runs/tensorboard.h"

namespace pair::cli {

// Keeps the event files of --tensorboard in line with a run's records, including those of earlier attempts
// without --tensorboard. Does nothing if they are not wanted.
class TensorBoardFiles {
 public:
  // Throws std::runtime_error if they are wanted and pair was built without them.
  TensorBoardFiles(std::filesystem::path directory, bool wanted);

  // Called with every progress of the run.
  void follow(const runs::Progress& progress);

  // Writes all records up to the step.
  void catch_up(std::int64_t step);

 private:
  std::filesystem::path directory_;
  bool wanted_;
  std::optional<runs::EventFile> events_;
};

}  // namespace pair::cli

#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <set>

// A run's records for TensorBoard, in event files next to them: events.out.tfevents.SECONDS.pair, one per
// attempt. Scalars by step and time of writing (float, as in TensorBoard; numbers that are not finite are
// NaN):
//
//   loss, nll, penalty, divergence, lr, restarts, backtracks, rollbacks   as in the record
//   losses/erm, weights/erm, ...                                          one chart per objective
//   accuracy/env0_in, accuracy/env0_out, ..., accuracy/worst_test         or mse/..., for regressions
//
// All other numbers, and objects of numbers, of a record are included under their keys, except `args` and
// `hparams`. Event files contain times, which records must not.

namespace pair::runs {

// False if PAIR was built without protobuf.
bool has_tensorboard();

class EventFile {
 public:
  // Reads the steps that the folder's event files already have, ignoring an incomplete end. The folder must
  // exist; a file is created with the first new record. Throws std::runtime_error if the folder cannot be
  // read, or if PAIR was built without protobuf.
  explicit EventFile(std::filesystem::path folder);

  // Writes and flushes a record whose step is new; does nothing for others, so that a run that continues
  // after a crash repeats no step. `wall_time` is in seconds since 1970. Throws std::runtime_error if writing
  // fails.
  void record(const nlohmann::json& record, double wall_time);
  // The same, with the current time.
  void record(const nlohmann::json& record);

 private:
  void open(double wall_time);
  void write(const std::string& event);

  std::filesystem::path folder_;
  std::set<std::int64_t> steps_;
  std::int64_t newest_ = 0;  // the largest SECONDS among the existing files
  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace pair::runs

#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <set>

// A run's records for TensorBoard, in event files beside them: events.out.tfevents.SECONDS.pair, one a try.
// Scalars by step and time of writing (float, as TensorBoard keeps them; a number that is not finite is NaN):
//
//   loss, nll, penalty, divergence, lr, restarts, backtracks, rollbacks   as in the record
//   losses/erm, weights/erm, ...                                          a chart an objective
//   accuracy/env0_in, accuracy/env0_out, ..., accuracy/worst_test         or mse/..., for regressions
//
// Whatever else a record has as a number, or as an object of numbers, is there under its key. `args` and
// `hparams` are not, and the records know nothing of these files: they carry times, which records must not.

namespace pair::runs {

// False where PAIR was built without protobuf.
bool has_tensorboard();

class EventFile {
 public:
  // Reads which steps the folder's event files hold already; a half-written end does not count. The folder
  // must exist; a file is made with the first record that is new. Throws std::runtime_error where the folder
  // cannot be read, or where PAIR was built without protobuf.
  explicit EventFile(std::filesystem::path folder);

  // Writes and flushes a record whose step is not there yet; does nothing for others, so that a run which
  // goes on after a crash repeats no step. `wall_time` is in seconds since 1970. Throws std::runtime_error
  // where the disk refuses.
  void record(const nlohmann::json& record, double wall_time);
  // The same, at this moment.
  void record(const nlohmann::json& record);

 private:
  void open(double wall_time);
  void write(const std::string& event);

  std::filesystem::path folder_;
  std::set<std::int64_t> steps_;
  std::int64_t newest_ = 0;  // the largest SECONDS among the files that are there
  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace pair::runs

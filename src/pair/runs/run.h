#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pair/runs/dataset_cache.h"
#include "pair/runs/run_spec.h"
#include "pair/train/ranks.h"

// Runs a spec and writes its records.

namespace pair::runs {

struct Progress {
  std::int64_t first = 0;                  // the step at which this attempt started: 0, or its checkpoint's
  std::int64_t step = 0;                   // steps taken; equal to first once, before the first step
  std::int64_t steps = 0;                  // total
  const nlohmann::json* record = nullptr;  // the record of this step, if there is one
  std::int64_t records_left = 0;           // number of records still to come
};

// Callbacks during a run; all are called from the run's own thread.
struct RunHooks {
  std::function<void(const Progress&)> progress;
  std::function<bool()> should_stop;             // called before every step, and during scoring
  std::function<void(std::string_view)> notice;  // a sentence for the user
  // Called if the device runs out of memory: whether the caller will try again, so that the run has not
  // failed.
  std::function<bool()> will_retry;
  // Whether the run holds models: its last (model_files.h) and those of RunSpec::keep_checkpoints. Records
  // and the run's name do not depend on it.
  bool keep_model = true;
  // The processes that train the run together, each of which calls run() with the same spec. Rank 0 writes
  // the records; the others need no folder, call no hook except should_stop, and return no records.
  train::Ranks ranks = {};
};

struct RunResult {
  enum class Status {
    finished,
    stopped,  // by should_stop, of any rank, after a checkpoint
  };
  Status status = Status::finished;
  bool was_done = false;  // already finished: nothing was computed
  std::int64_t step = 0;
  double seconds = 0.0;  // of training, over all attempts (for a killed one, up to its checkpoint)
  std::vector<nlohmann::json> records;
};

// Throws std::invalid_argument that names the setting, the expected values and its value. Checks everything
// that can be checked without building the data; LaunchCheck (launch_check.h) does the rest.
void validate(const RunSpec& spec);

// The run's device had too little memory left by other runs; what() says how much was needed.
struct OutOfMemory : std::runtime_error {
  OutOfMemory(const std::string& what, bool retried) : std::runtime_error(what), will_retry(retried) {}
  bool will_retry;  // the result of the hook
};

// Does the remaining part of a run: all of it, the steps after the last checkpoint, or nothing if it has
// finished; then its device does not need to exist. The records depend only on the spec: not on how often the
// run was stopped or killed, nor on what else this process runs. Concurrent runs in one process must have the
// same threads and, on a device, either fp32 or not, which LibTorch and OpenBLAS keep per process.
//
// Throws std::invalid_argument for an invalid spec or folder, Busy (run_directory.h) if another process
// trains there, OutOfMemory, and std::runtime_error if training or writing fails: then `failed` in the folder
// has the message, and the records so far and the last checkpoint are kept. With several ranks, RankLost is
// one of these.
RunResult run(const RunSpec& spec, const std::filesystem::path& directory, DatasetCache& datasets,
              const RunHooks& hooks = {});

// A description of the spec's data as lines of text, or empty; see data::EnvironmentSet. The data is kept in
// `datasets` for run(). Throws the errors of run() for invalid data.
std::string description_of_data(const RunSpec& spec, DatasetCache& datasets);

// Frees the memory that the calling thread keeps on the run's device between runs.
void give_back_memory(const RunSpec& spec);

// runs/DATASET-ALGORITHM-sSEED-HASH: the default folder of a run.
std::filesystem::path default_directory(const RunSpec& spec);

}  // namespace pair::runs

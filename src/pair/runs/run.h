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

// From a spec to its records.

namespace pair::runs {

struct Progress {
  std::int64_t first = 0;                  // the step at which this try began: 0, or its checkpoint's
  std::int64_t step = 0;                   // steps taken; equal to first once, before the first is
  std::int64_t steps = 0;                  // in all
  const nlohmann::json* record = nullptr;  // where this step was recorded
  std::int64_t records_left = 0;           // that the steps to come will make
};

// What a caller may want to hear and say while a run goes on; all from the run's own thread.
struct RunHooks {
  std::function<void(const Progress&)> progress;
  std::function<bool()> should_stop;             // asked before every step, and while a record is scored
  std::function<void(std::string_view)> notice;  // a sentence that the user should see
  // Where the device's memory ran out: whether the caller will try again, so that the run has not failed.
  std::function<bool()> tries_again;
  // Whether the finished run holds its model (model_files.h). Records and the run's name do not depend on it.
  bool keep_model = true;
};

struct RunResult {
  enum class Status {
    finished,
    stopped,  // by should_stop, after a checkpoint
  };
  Status status = Status::finished;
  bool was_done = false;  // finished before: nothing was computed
  std::int64_t step = 0;
  double seconds = 0.0;  // of training, all tries together (of a killed one, up to its checkpoint)
  std::vector<nlohmann::json> records;
};

// Throws std::invalid_argument that names the setting, its value and what is accepted. Tells everything that
// can be told without building the data.
void validate(const RunSpec& spec);

// A run's device had too little memory for what it needed beside the others there; what() says how much that
// was.
struct OutOfMemory : std::runtime_error {
  OutOfMemory(const std::string& what, bool tried_again) : std::runtime_error(what), again(tried_again) {}
  bool again;  // what tries_again answered
};

// Runs what is left of a run: all of it, the steps after the last checkpoint, or, when it is done, nothing:
// then its device need not be there. The records depend on the spec alone: how often the run was stopped or
// killed in between, and what else runs in this process, does not show. Runs at the same time in one process
// must agree on threads and tf32, which LibTorch and OpenBLAS keep for the process.
//
// Throws std::invalid_argument for a spec or a folder that cannot be used, Busy (run_directory.h) where
// somebody else trains there, OutOfMemory, and std::runtime_error where training or the disk fails: then
// `failed` in the folder holds the sentence, and the records so far and the last checkpoint stay.
RunResult run(const RunSpec& spec, const std::filesystem::path& directory, DatasetCache& datasets,
              const RunHooks& hooks = {});

// What was found in the spec's data, as lines for people, or nothing; see data::EnvironmentSet. The data
// stays in `datasets` for run(). Throws as run() does for data that cannot be used.
std::string description_of_data(const RunSpec& spec, DatasetCache& datasets);

// Gives back what the calling thread keeps of the run's device from one run to the next, before it rests.
void give_back_memory(const RunSpec& spec);

// runs/DATASET-ALGORITHM-sSEED-HASH: where a run goes that is given no other place.
std::filesystem::path default_directory(const RunSpec& spec);

}  // namespace pair::runs

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/runs/run.h"
#include "pair/runs/run_spec.h"

// Many runs at the same time, on threads of one process that share the data.

namespace pair::sweep {

struct ManyRunsProgress {
  std::size_t runs = 0;  // total
  std::size_t done = 0;
  std::size_t failed = 0;
  std::size_t running = 0;      // in this process
  std::size_t elsewhere = 0;    // in other processes
  std::int64_t steps_here = 0;  // taken by this call
  std::int64_t steps_left = 0;  // remaining in all runs that have not ended
};

struct ManyRunsHooks {
  // Called from any of the threads, one call at a time.
  std::function<void(const ManyRunsProgress&)> progress;
  std::function<bool()> should_stop;
  // A sentence for the user. Called like progress; each sentence once.
  std::function<void(std::string_view)> notice;
  bool keep_models = true;  // as RunHooks::keep_model
};

struct RunOutcome {
  enum class Status {
    waiting,  // not ended: stopped or never started
    done,
    failed
  };
  Status status = Status::waiting;
  bool here = false;                // whether this call trained the end of it
  nlohmann::json record;            // the last record of a finished run
  std::filesystem::path directory;  // the run's folder
  double seconds = 0.0;             // of training
  std::string error;                // why the run failed; empty if it did not
};

struct ManyRuns {
  std::vector<RunOutcome> outcomes;  // in the specs' order
  bool stopped = false;
};

// Runs every spec in its own folder, `jobs` at a time. By default (0), one run per core; on a GPU, the number
// is tuned automatically (pace.h) and reduced if the device runs out of memory.
//
// Finished runs are read, not repeated; stopped and killed ones are resumed. A run that fails does not stop
// the others. A run that another process trains is left to it and checked again when the others have ended,
// until it has finished or failed there, or was abandoned and can be resumed here. Throws
// std::invalid_argument before any run starts if a spec is not finished and cannot be run here.
ManyRuns run_all(std::span<const runs::RunSpec> specs, std::span<const std::filesystem::path> directories,
                 std::size_t jobs, const ManyRunsHooks& hooks = {});

// The same in folders below root, by runs::folder_name.
ManyRuns run_all(std::span<const runs::RunSpec> specs, const std::filesystem::path& root, std::size_t jobs,
                 const ManyRunsHooks& hooks = {});

// Throws std::invalid_argument for a spec that is not finished in its folder below root and cannot be run
// here; base::FileError if a file exists but cannot be read. Finished GPU runs can be read on a machine
// without a device. To find missing or invalid data before any folder is made, the data of these runs is read:
// once per dataset and options, with the test environments and the seed of the first run. Models are checked
// against it, and weights against models: on tables, whose inputs follow from the training rows, for all test
// environments and seeds.
void require_runnable(std::span<const runs::RunSpec> specs, const std::filesystem::path& root);

// Runs that failed for the same reason.
struct Failure {
  std::string error;
  std::size_t runs = 0;
  std::filesystem::path directory;  // of the first
};

// The reasons, in the order of their first runs.
std::vector<Failure> failures_of(const ManyRuns& runs);

// "3 runs failed, such as sweep/cmnist-erm-s0-0123: REASON", or "DIRECTORY failed: REASON".
std::string text_of(const Failure& failure);

}  // namespace pair::sweep

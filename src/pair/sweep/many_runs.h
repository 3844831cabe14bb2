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

// Many runs at once, on threads of one process that share the data.

namespace pair::sweep {

struct ManyRunsProgress {
  std::size_t runs = 0;  // in all
  std::size_t done = 0;
  std::size_t failed = 0;
  std::size_t running = 0;      // here
  std::size_t elsewhere = 0;    // that another process was found to run
  std::int64_t steps_here = 0;  // taken since the call, here
  std::int64_t steps_left = 0;  // of all runs that have not ended
};

struct ManyRunsHooks {
  // From any of the threads, one at a time.
  std::function<void(const ManyRunsProgress&)> progress;
  std::function<bool()> should_stop;
  // A sentence that the user should see; likewise, and each sentence once, whichever runs had it to say.
  std::function<void(std::string_view)> notice;
  bool keep_models = true;  // as RunHooks::keep_model
};

struct RunOutcome {
  enum class Status {
    waiting,  // not ended: stopped, or never begun
    done,
    failed
  };
  Status status = Status::waiting;
  bool here = false;                // it was this call that trained the last of it
  nlohmann::json record;            // the last one, of a run that is done
  std::filesystem::path directory;  // the run's folder
  double seconds = 0.0;             // of training
  std::string error;                // why the run failed; empty where it did not
};

struct ManyRuns {
  std::vector<RunOutcome> outcomes;  // in the specs' order
  bool stopped = false;
};

// Runs every spec in its own folder, jobs at a time; 0: one a processor, or on a device as many as are found
// to pay (pace.h). Finished runs are read, not repeated; stopped and killed
// ones go on. A run that fails does not stop the others. A run that another process trains is left to it and
// looked at again when the others have ended, until it is done, has failed there, or was given up there and
// can go on here. Where a device has no memory for so many and jobs is 0, there are fewer from then on.
// Throws std::invalid_argument for a spec that is not finished and cannot be run here, before any is.
ManyRuns run_all(std::span<const runs::RunSpec> specs, std::span<const std::filesystem::path> directories,
                 std::size_t jobs, const ManyRunsHooks& hooks = {});

// The same in folders below root, by runs::folder_name.
ManyRuns run_all(std::span<const runs::RunSpec> specs, const std::filesystem::path& root, std::size_t jobs,
                 const ManyRunsHooks& hooks = {});

// Throws std::invalid_argument for a spec that is not finished in its folder below root and cannot be run
// here: on a machine without a device, what ran on one can still be read.
void require_runnable(std::span<const runs::RunSpec> specs, const std::filesystem::path& root);

}  // namespace pair::sweep

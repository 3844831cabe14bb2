#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/runs/run.h"
#include "pair/runs/run_spec.h"

// Many runs at once, on threads of one process that share the data. What a recipe of the paper runs through.

namespace pair::paper {

struct ManyRunsHooks {
  // So many of so many runs are done, and steps of so many are taken; from any of the threads, one at a time.
  std::function<void(std::size_t done, std::size_t runs, std::int64_t steps_taken, std::int64_t steps)>
      progress;
  std::function<bool()> should_stop;
};

struct RunOutcome {
  nlohmann::json record;            // the last one
  std::filesystem::path directory;  // the run's folder
  double seconds = 0.0;             // of training
  std::string error;                // why the run failed; empty where it did not
};

// The accuracies in a record of ColoredMNIST: training environments, then test environments.
std::vector<double> accuracies_of(const nlohmann::json& record);

struct ManyRuns {
  std::vector<RunOutcome> outcomes;  // in the specs' order; empty where it was stopped
  bool stopped = false;
};

// Runs every spec in its own folder below root, jobs at a time. Finished runs are read, not repeated; stopped
// and killed ones resume. A run that fails does not stop the others.
ManyRuns run_all(std::span<const runs::RunSpec> specs, const std::filesystem::path& root, std::size_t jobs,
                 const ManyRunsHooks& hooks = {});

}  // namespace pair::paper

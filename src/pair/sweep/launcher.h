#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/runs/run_spec.h"
#include "pair/sweep/many_runs.h"

namespace pair::sweep {

// A run for a launcher.
struct LaunchJob {
  runs::RunSpec spec;
  std::filesystem::path directory;
  // Runs or resumes this job alone, after prepare(): 'pair train --spec DIRECTORY/spec.json --out DIRECTORY'.
  // One word per argument; the first is the program.
  std::vector<std::string> command;
};

// Runs the jobs of a sweep somewhere.
class Launcher {
 public:
  Launcher() = default;
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  virtual ~Launcher() = default;

  // Runs the jobs, or submits them and leaves them waiting. Jobs that another process runs or has finished
  // meanwhile are not errors.
  virtual ManyRuns launch(std::span<const LaunchJob> jobs) = 0;
};

// Runs jobs on threads of this process.
class LocalLauncher : public Launcher {
 public:
  LocalLauncher(std::size_t jobs_at_once, ManyRunsHooks hooks)
      : jobs_at_once_(jobs_at_once), hooks_(std::move(hooks)) {}
  ManyRuns launch(std::span<const LaunchJob> jobs) override;

 private:
  std::size_t jobs_at_once_;  // at least 1
  ManyRunsHooks hooks_;
};

// The job with its command line, for the pair program at the given path.
LaunchJob launch_job(runs::RunSpec spec, std::filesystem::path directory, const std::string& program);

// Creates the job's folder and its spec.json, for launchers that use the command line. Throws the same errors
// as runs::RunDirectory.
void prepare(const LaunchJob& job);

}  // namespace pair::sweep

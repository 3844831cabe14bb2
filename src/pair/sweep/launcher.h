#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/runs/run_spec.h"
#include "pair/sweep/many_runs.h"

namespace pair::sweep {

// A run as a launcher gets it.
struct LaunchJob {
  runs::RunSpec spec;
  std::filesystem::path directory;
  // Runs this job alone, to its end or from where it stopped, once prepare() was called: 'pair train --spec
  // DIRECTORY/spec.json --out DIRECTORY'. Each word an argument, the first the program.
  std::vector<std::string> command;
};

// Where the jobs of a sweep are run.
class Launcher {
 public:
  Launcher() = default;
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  virtual ~Launcher() = default;

  // Runs the jobs, or hands them over to what will: those it leaves waiting. Jobs that somebody else runs or
  // has run since are no error.
  virtual ManyRuns launch(std::span<const LaunchJob> jobs) = 0;
};

// Threads of this process.
class LocalLauncher : public Launcher {
 public:
  LocalLauncher(std::size_t jobs_at_once, ManyRunsHooks hooks)
      : jobs_at_once_(jobs_at_once), hooks_(std::move(hooks)) {}
  ManyRuns launch(std::span<const LaunchJob> jobs) override;

 private:
  std::size_t jobs_at_once_;  // at least 1
  ManyRunsHooks hooks_;
};

// The job with its command line, for the pair program at a path.
LaunchJob launch_job(runs::RunSpec spec, std::filesystem::path directory, const std::string& program);

// Makes the job's folder and its spec.json, for launchers that use the command line. Throws as
// runs::RunDirectory does.
void prepare(const LaunchJob& job);

}  // namespace pair::sweep

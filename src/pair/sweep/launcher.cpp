#include "pair/sweep/launcher.h"

#include <utility>

#include "pair/runs/run_directory.h"

namespace pair::sweep {

ManyRuns LocalLauncher::launch(std::span<const LaunchJob> jobs) {
  std::vector<runs::RunSpec> specs;
  std::vector<std::filesystem::path> directories;
  for (const LaunchJob& job : jobs) {
    specs.push_back(job.spec);
    directories.push_back(job.directory);
  }
  return run_all(specs, directories, jobs_at_once_, hooks_);
}

LaunchJob launch_job(runs::RunSpec spec, std::filesystem::path directory, const std::string& program) {
  // Absolute, so that the command works from any folder.
  const std::filesystem::path whole = std::filesystem::absolute(directory);
  std::vector<std::string> command = {program, "train",       "--spec", runs::spec_file(whole).string(),
                                      "--out", whole.string()};
  return {std::move(spec), std::move(directory), std::move(command)};
}

void prepare(const LaunchJob& job) {
  const runs::RunDirectory directory(job.directory, job.spec);
}

}  // namespace pair::sweep

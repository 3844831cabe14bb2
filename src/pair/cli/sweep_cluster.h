#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pair/cli/command.h"

// 'pair sweep' on clusters: the workers of --launcher slurm and command, their state and their end
// (sweep/cluster.h).

namespace pair::cli {

struct ClusterArguments {
  std::optional<std::size_t> max_jobs;  // workers at the same time; default 8
  std::string partition;
  std::size_t gpus = 0;
  std::size_t cpus = 0;
  std::string time;
  std::int64_t notice = 120;
  std::vector<std::string> sbatch;
  std::vector<std::string> setup;
  std::string command;
  bool dry_run = false;
};

// `arguments` must outlive the command.
void add_cluster_options(CLI::App& command, ClusterArguments& arguments);

// Throws UsageError if an option for clusters was given.
void check_local(const ClusterArguments& arguments);

// Throws UsageError if the options do not fit the launcher, slurm or command.
void check_cluster(const ClusterArguments& arguments, const std::string& launcher);

struct Submission {
  std::string launcher;  // slurm or command
  std::filesystem::path folder;
  std::size_t jobs = 0;             // of the sweep
  std::size_t left = 0;             // of them, jobs that are not done
  std::size_t jobs_per_worker = 0;  // runs at the same time in one worker; 0: automatic
  bool no_models = false;
  bool json = false;
};

// Submits workers for the jobs that are left, at most one per job, after check_cluster; with dry_run, prints
// what would be submitted.
void submit_workers(const ClusterArguments& arguments, const Submission& submission, Context& context);

// The state of the sweep's jobs in Slurm's queue, after the sweep's own: "Slurm: job 17: 3 running, 5 pending
// (Resources)". Writes nothing if none was submitted.
void write_slurm_state(const std::filesystem::path& folder, std::ostream& out);
// The same as "slurm": [{"job", "tasks": {state: number}, "reason"}], or {"error"} if Slurm cannot be asked.
void add_slurm_state(const std::filesystem::path& folder, nlohmann::ordered_json& status);

void add_sweep_cancel(CLI::App& sweep, Context& context);

}  // namespace pair::cli

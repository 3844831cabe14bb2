#include "pair/cli/sweep_cluster.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "pair/base/names.h"
#include "pair/base/tables.h"
#include "pair/cli/hand_over.h"
#include "pair/cli/sweep_arguments.h"
#include "pair/report/number.h"
#include "pair/sweep/cluster.h"

namespace pair::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using report::counted;

constexpr std::size_t default_workers = 8;
constexpr std::size_t most_workers = 1000;

sweep::Worker worker_of(const Submission& submission) {
  sweep::Worker worker;
  worker.folder = fs::absolute(submission.folder).lexically_normal();
  worker.command = {program_of_user().string(), "sweep", "launch", "--out", worker.folder.string()};
  if (submission.jobs_per_worker > 0) {
    worker.command.insert(worker.command.end(), {"--jobs", std::to_string(submission.jobs_per_worker)});
  }
  if (submission.no_models) {
    worker.command.emplace_back("--no-models");
  }
  return worker;
}

sweep::SlurmOptions slurm_options(const ClusterArguments& arguments, std::size_t workers) {
  return {.workers = workers,
          .partition = arguments.partition,
          .gpus = arguments.gpus,
          .cpus = arguments.cpus,
          .time = arguments.time,
          .notice = arguments.notice,
          .sbatch = arguments.sbatch,
          .setup = arguments.setup};
}

// Whether an option for sbatch was given.
bool asks_slurm(const ClusterArguments& arguments) {
  return !arguments.partition.empty() || arguments.gpus > 0 || arguments.cpus > 0 ||
         !arguments.time.empty() || !arguments.sbatch.empty() || !arguments.setup.empty();
}

std::string states_text(const sweep::SlurmState& state) {
  std::string text = base::joined(
      state.tasks, ", ", [](const auto& entry) { return std::to_string(entry.second) + " " + entry.first; });
  return state.reason.empty() ? text : text + " (" + base::printable(state.reason) + ")";
}

void cancel(const SweepArguments& arguments, bool dry_run, bool json, Context& context) {
  check_sweep_folder(arguments.out);
  const std::vector<std::string> jobs = sweep::slurm_jobs(arguments.out);
  if (jobs.empty()) {
    throw UsageError("'" + arguments.out +
                     "' has no job on Slurm; expected a sweep that was launched with "
                     "'--launcher slurm'");
  }
  std::vector<std::string> active;
  ordered_json cancelled = ordered_json::array();
  for (const sweep::SlurmState& state : sweep::slurm_states(jobs)) {
    active.push_back(state.job);
    cancelled.push_back({{"job", state.job}, {"tasks", state.tasks}});
    if (!json) {
      context.out << (dry_run ? "would cancel" : "cancelled") << " job " << state.job << ": "
                  << states_text(state) << '\n';
    }
  }
  if (!active.empty() && !dry_run) {
    sweep::cancel_on_slurm(active);
  }
  if (json) {
    context.out << ordered_json{{dry_run ? "would_cancel" : "cancelled", cancelled}}.dump(2) << '\n';
  } else if (active.empty()) {
    context.out << "no job of this sweep is in Slurm's queue\n";
  } else if (!dry_run) {
    context.out << "Running workers save their runs; the launch command continues them\n";
  }
}

}  // namespace

void add_cluster_options(CLI::App& command, ClusterArguments& arguments) {
  const std::string group = "Clusters";
  command
      .add_option("--max-jobs,--max-workers", arguments.max_jobs,
                  "Workers at the same time, each with its own --gpus (default 8)")
      ->group(group);
  command.add_option("--partition", arguments.partition, "Slurm's partition")->group(group);
  command.add_option("--gpus", arguments.gpus, "GPUs per worker (default: none)")->group(group);
  command.add_option("--cpus", arguments.cpus, "Cores per worker (default: Slurm's)")->group(group);
  command
      .add_option("--time", arguments.time,
                  "Time limit per worker, such as 2:00:00; a worker that reaches it "
                  "saves and is queued again")
      ->group(group);
  command.add_option("--notice", arguments.notice, "Seconds before the time limit at which workers save")
      ->capture_default_str()
      ->group(group);
  command.add_option("--sbatch", arguments.sbatch, "Further options of sbatch, such as '--account=biology'")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all()
      ->group(group);
  command
      .add_option("--setup", arguments.setup,
                  "Shell command on the node before the worker, such as 'module load cuda'")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all()
      ->group(group);
  command
      .add_option(
          "--command", arguments.command,
          "For other schedulers: the command that submits one worker, with {} in place of it, such as "
          "'qsub -b y {}'; {n} is the worker's number")
      ->group(group);
  command.add_flag("--dry-run", arguments.dry_run, "Print the script or the commands and submit nothing")
      ->group(group);
}

void check_local(const ClusterArguments& arguments) {
  const bool any =
      asks_slurm(arguments) || arguments.max_jobs || !arguments.command.empty() || arguments.dry_run;
  if (any) {
    throw UsageError(
        "options for clusters need --launcher slurm or --launcher command, got --launcher local");
  }
}

void check_cluster(const ClusterArguments& arguments, const std::string& launcher) {
  if (arguments.max_jobs && (*arguments.max_jobs < 1 || *arguments.max_jobs > most_workers)) {
    throw UsageError("--max-jobs: expected an integer from 1 to " + std::to_string(most_workers) + ", got " +
                     std::to_string(*arguments.max_jobs));
  }
  if (arguments.notice < 1 || arguments.notice > 65535) {
    throw UsageError("--notice: expected an integer from 1 to 65535, got " +
                     std::to_string(arguments.notice));
  }
  if (launcher == "command" && arguments.command.empty()) {
    throw UsageError("--launcher command: expected --command 'qsub ... {}' as well");
  }
  if (launcher == "command" && asks_slurm(arguments)) {
    throw UsageError(
        "--launcher command: expected the scheduler's options within --command, got options for Slurm");
  }
  if (launcher == "slurm" && !arguments.command.empty()) {
    throw UsageError("--command: expected --launcher command, got --launcher slurm");
  }
}

void submit_workers(const ClusterArguments& arguments, const Submission& submission, Context& context) {
  const sweep::Worker worker = worker_of(submission);
  const std::size_t workers = std::min(arguments.max_jobs.value_or(default_workers), submission.left);
  ordered_json summary{{"status", arguments.dry_run ? "dry run" : "submitted"},
                       {"directory", submission.folder.string()},
                       {"jobs", submission.jobs},
                       {"left", submission.left},
                       {"workers", workers}};
  if (workers == 0) {
    summary["status"] = "finished";
    if (submission.json) {
      context.out << summary.dump(2) << '\n';
    } else {
      context.out << "All runs are done; nothing was submitted\n";
    }
    return;
  }
  const bool slurm = submission.launcher == "slurm";
  std::string text;
  if (arguments.dry_run) {
    text = slurm ? sweep::slurm_script(slurm_options(arguments, workers), worker)
                 : sweep::worker_line(arguments.command, 0, worker) + "\n";
    summary[slurm ? "script" : "command"] = text;
  } else if (slurm) {
    const std::string job = sweep::submit_to_slurm(slurm_options(arguments, workers), worker);
    summary["job"] = job;
    text = "Submitted job " + job + " with " + counted(workers, "worker") + " for " +
           counted(submission.left, "run") + "\nProgress: pair sweep status " +
           sweep::shell_quoted(submission.folder.string()) + "\n";
  } else {
    const std::vector<std::string> outputs = sweep::submit_by_command(arguments.command, workers, worker);
    summary["output"] = outputs;
    for (const std::string& output : outputs) {
      text += output.empty() ? "" : base::printable(output) + "\n";
    }
    text += "Submitted " + counted(workers, "worker") + " for " + counted(submission.left, "run") + "\n";
  }
  if (submission.json) {
    context.out << summary.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
  } else {
    context.out << text;
  }
}

void write_slurm_state(const std::filesystem::path& folder, std::ostream& out) {
  const std::vector<std::string> jobs = sweep::slurm_jobs(folder);
  if (jobs.empty()) {
    return;
  }
  try {
    const std::vector<sweep::SlurmState> states = sweep::slurm_states(jobs);
    if (states.empty()) {
      out << "Slurm: no job of this sweep is in the queue\n";
    }
    for (const sweep::SlurmState& state : states) {
      out << "Slurm: job " << state.job << ": " << states_text(state) << '\n';
    }
  } catch (const std::runtime_error& error) {
    out << "Slurm: " << error.what() << '\n';
  }
}

void add_slurm_state(const std::filesystem::path& folder, nlohmann::ordered_json& status) {
  const std::vector<std::string> jobs = sweep::slurm_jobs(folder);
  if (jobs.empty()) {
    return;
  }
  try {
    status["slurm"] = ordered_json::array();
    for (const sweep::SlurmState& state : sweep::slurm_states(jobs)) {
      status["slurm"].push_back({{"job", state.job}, {"tasks", state.tasks}, {"reason", state.reason}});
    }
  } catch (const std::runtime_error& error) {
    status["slurm"] = {{"error", error.what()}};
  }
}

void add_sweep_cancel(CLI::App& sweep, Context& context) {
  struct Arguments {
    SweepArguments sweep;
    bool dry_run = false;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = sweep.add_subcommand("cancel", "Cancel a sweep's jobs on Slurm");
  add_sweep_folder(*command, arguments->sweep.out);
  command->add_flag("--dry-run", arguments->dry_run, "Only list them");
  command->add_flag("--json", arguments->json, "Write JSON");
  command->footer(
      "Workers that run save first. Nothing is deleted: launching again continues.\n\n"
      "Example:\n"
      "  pair sweep cancel sweep");
  command->callback(
      [arguments, &context] { cancel(arguments->sweep, arguments->dry_run, arguments->json, context); });
}

}  // namespace pair::cli

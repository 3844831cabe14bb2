#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/cli/left_out.h"
#include "pair/cli/many_runs_display.h"
#include "pair/cli/recipe.h"
#include "pair/cli/sweep.h"
#include "pair/cli/sweep_arguments.h"
#include "pair/cli/sweep_cluster.h"
#include "pair/cli/sweep_report.h"
#include "pair/cli/train_interrupt.h"
#include "pair/report/number.h"
#include "pair/runs/run_paths.h"
#include "pair/sweep/many_runs.h"
#include "pair/sweep/status.h"
#include "pair/sweep/sweep_file.h"

namespace pair::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using report::counted;
using sweep::State;

struct LaunchArguments {
  SweepArguments sweep;
  std::size_t jobs = 0;
  std::string launcher = "local";
  ClusterArguments cluster;
  bool no_models = false;
  bool json = false;
};

// False if it cannot be read: then it is somebody else's.
bool is_run(const fs::path& folder) {
  try {
    return base::is_there(runs::spec_file(folder)) || base::is_there(runs::results_file(folder));
  } catch (const base::FileError&) {
    return false;
  }
}

// Whether it is a file that a shell or Slurm writes the output of a launch to.
bool is_log(const fs::directory_entry& entry) {
  constexpr std::array<std::string_view, 3> endings = {".log", ".out", ".err"};
  std::error_code unknown;
  return entry.is_regular_file(unknown) &&
         std::find(endings.begin(), endings.end(), entry.path().extension().string()) != endings.end();
}

// Throws UsageError if the folder has files but neither a sweep nor runs: it is probably a folder of the
// user's.
void refuse_folder_of_other_files(const fs::path& out) {
  if (base::is_there(sweep::sweep_file(out))) {
    return;
  }
  std::error_code error;
  for (auto entry = fs::directory_iterator(out, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with("sweep.") && !name.starts_with('.') && !is_log(*entry) && !is_run(entry->path())) {
      throw UsageError("--out: expected a folder that is new, empty or a sweep's own, got '" +
                       base::printable(out.string()) + "', which holds '" + base::printable(name) +
                       "'; give a new folder");
    }
  }
}

// The sweep's jobs, including new ones. Nothing is written before all of them are known to be valid and, if
// they are to run `here`, to be runnable here.
std::vector<sweep::Job> settle_jobs(const SweepArguments& arguments, bool here, std::ostream& err) {
  const std::optional<sweep::Definition> definition = definition_of(arguments);
  if (!definition && sweep::read_sweep(arguments.out).empty()) {
    throw UsageError("'" + arguments.out +
                     "' holds no sweep; a new sweep needs --algorithms, and --datasets or --data");
  }
  std::vector<sweep::Job> jobs = definition ? sweep::jobs_of(std::span(&*definition, 1)) : jobs_of(arguments);
  if (here) {
    std::vector<runs::RunSpec> specs;
    for (const sweep::Job& job : jobs) {
      specs.push_back(job.spec);
    }
    sweep::require_runnable(specs, arguments.out);
  }
  if (!definition) {
    return jobs;
  }
  refuse_folder_of_other_files(arguments.out);
  const sweep::Added added = sweep::add_to_sweep(arguments.out, *definition);
  if (added.before > 0 && added.jobs > 0) {
    err << "pair: " << arguments.out << " held a sweep of " << counted(added.before, "run") << "; "
        << added.jobs << " more " << (added.jobs == 1 ? "is" : "are") << " now part of it\n";
  }
  // The defaults that the number of runs follows from.
  if (added.before == 0 && !(arguments.n_hparams && arguments.n_trials)) {
    err << "Per dataset, algorithm and set of test environments: "
        << counted(static_cast<std::size_t>(definition->n_hparams), "draw") << " (--n-hparams) x "
        << counted(static_cast<std::size_t>(definition->n_trials), "trial") << " (--n-trials)\n";
  }
  return jobs;
}

// The remaining jobs. Broken runs are repaired or prepared to start again.
std::vector<sweep::Job> jobs_left(const std::vector<sweep::Job>& jobs, sweep::SweepStatus& status,
                                  const fs::path& out, std::ostream& err) {
  std::vector<sweep::Job> left;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const State state = status.jobs[i].state;
    if (state == State::done) {
      continue;
    }
    if (state == State::broken) {
      const bool own = sweep::is_own(jobs[i], out);
      sweep::mend(jobs[i], out);
      const State now = sweep::status_of(jobs[i], out).state;
      err << "pair: " << jobs[i].folder
          << (now == State::done     ? " was broken and is complete, with a new spec.json: "
              : now != State::broken ? " is broken and runs again: "
              : own                  ? " is broken and cannot run: "
                                     : " cannot run until its folder is repaired or removed by hand: ")
          << base::printable(status.jobs[i].message) << '\n';
      if (now == State::done) {
        status.counts.move(State::broken, State::done);
        continue;
      }
    }
    left.push_back(jobs[i]);
  }
  return left;
}

struct Ended {
  std::size_t done = 0;    // by any process
  std::size_t ran = 0;     // trained to the end by this launch
  std::size_t failed = 0;  // by any process
};

Ended count(const sweep::ManyRuns& runs) {
  using Status = sweep::RunOutcome::Status;
  Ended ended;
  for (const sweep::RunOutcome& outcome : runs.outcomes) {
    ended.done += outcome.status == Status::done ? 1U : 0U;
    ended.ran += outcome.status == Status::done && outcome.here ? 1U : 0U;
    ended.failed += outcome.status == Status::failed ? 1U : 0U;
  }
  return ended;
}

void write_json(const LaunchArguments& arguments, std::size_t jobs, std::size_t done_before,
                const sweep::ManyRuns& runs, std::ostream& out) {
  const Ended ended = count(runs);
  ordered_json failures = ordered_json::array();
  for (const sweep::RunOutcome& outcome : runs.outcomes) {
    if (!outcome.error.empty()) {
      failures.push_back({{"folder", outcome.directory.filename().string()}, {"message", outcome.error}});
    }
  }
  const ordered_json summary{{"status", runs.stopped       ? "stopped"
                                        : ended.failed > 0 ? "failed"
                                                           : "finished"},
                             {"directory", arguments.sweep.out},
                             {"jobs", jobs},
                             {"done", done_before + ended.done},
                             {"done_before", done_before},
                             {"ran", ended.ran},
                             {"failed", ended.failed},
                             {"failures", std::move(failures)}};
  out << summary.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

void launch(const LaunchArguments& arguments, Context& context) {
  constexpr std::array<std::string_view, 3> launchers = {"local", "slurm", "command"};
  if (std::find(launchers.begin(), launchers.end(), arguments.launcher) == launchers.end()) {
    throw UsageError(base::unknown_name("launcher", arguments.launcher, launchers));
  }
  // Exceeding a file size limit must be a failed write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  const fs::path out = arguments.sweep.out;
  const bool here = arguments.launcher == "local";
  if (here) {
    check_local(arguments.cluster);
  } else {
    check_cluster(arguments.cluster, arguments.launcher);
  }
  const std::vector<sweep::Job> jobs = settle_jobs(arguments.sweep, here, context.err);
  if (arguments.no_models && std::any_of(jobs.begin(), jobs.end(), [](const sweep::Job& job) {
        return job.spec.keep_checkpoints != runs::KeepCheckpoints::last;
      })) {
    throw UsageError(
        "--no-models: expected keep_checkpoints to be last, got another value, which keeps models");
  }
  sweep::SweepStatus before = sweep::status_of(jobs, out);
  const std::vector<sweep::Job> left = jobs_left(jobs, before, out, context.err);
  const std::size_t done_before = before.counts.of(State::done);
  if (const std::vector<std::string> strangers = sweep::strangers_in(out, jobs_of(arguments.sweep));
      !strangers.empty()) {
    context.err << "pair: " << strangers_sentence(strangers) << "; they are ignored\n";
  }
  context.err << summary_of(before.counts) << std::endl;
  if (!here) {
    submit_workers(arguments.cluster,
                   {.launcher = arguments.launcher,
                    .folder = out,
                    .jobs = jobs.size(),
                    .left = left.size(),
                    .jobs_per_worker = arguments.jobs,
                    .no_models = arguments.no_models,
                    .json = arguments.json},
                   context);
    return;
  }

  ManyRunsDisplay display(context.err, done_before);
  const Interrupt interrupt;
  sweep::ManyRunsHooks hooks;
  hooks.progress = [&](const sweep::ManyRunsProgress& progress) { display.show(progress); };
  hooks.notice = [&](std::string_view sentence) { display.say(sentence); };
  hooks.keep_models = !arguments.no_models;
  hooks.should_stop = [&] { return interrupt.signal() != 0; };
  std::vector<runs::RunSpec> specs;
  std::vector<fs::path> folders;
  for (const sweep::Job& job : left) {
    specs.push_back(job.spec);
    folders.push_back(out / job.folder);
  }
  const sweep::ManyRuns runs = sweep::run_all(specs, folders, arguments.jobs, hooks);
  display.end();

  const Ended ended = count(runs);
  report_failures(runs, context);
  if (arguments.json) {
    write_json(arguments, jobs.size(), done_before, runs, context.out);
  } else {
    context.out << counted(jobs.size(), "run") << ": " << done_before + ended.done << " done (" << ended.ran
                << " by this launch)"
                << (ended.failed > 0 ? ", " + std::to_string(ended.failed) + " failed" : "")
                << "; records in " << arguments.sweep.out << '\n';
  }
  if (runs.stopped) {
    context.err << "Stopped; the same command continues from there\n";
    context.status = 128 + interrupt.signal();
  }
}

}  // namespace

void add_sweep_launch(CLI::App& sweep, Context& context) {
  const auto arguments = std::make_shared<LaunchArguments>();
  CLI::App* command = sweep.add_subcommand("launch", "Start or continue a sweep");
  add_sweep_options(*command, arguments->sweep);
  add_jobs_option(*command, arguments->jobs);
  command
      ->add_option(
          "--launcher", arguments->launcher,
          "Where to run: local, in this process; slurm, as workers of a job array; command, as workers that "
          "--command submits")
      ->capture_default_str();
  add_cluster_options(*command, arguments->cluster);
  command->add_flag(
      "--no-models,--no-model", arguments->no_models,
      "Do not keep the trained models (model.safetensors, model.json, evaluation.json) in the runs' folders");
  command->add_flag("--json", arguments->json, "Write a summary as JSON at the end");
  command->footer(
      "Finished runs are not repeated; stopped, failed and broken ones are run again. Ctrl-C or SIGTERM "
      "saves\n"
      "and exits with status 130 or 143; the same command, or one with only --out, continues. Several\n"
      "launches may share a folder.\n"
      "With --launcher slurm, a job array of such launches shares the folder; SIGUSR1 before the time limit "
      "saves,\n"
      "and the task is queued again (docs/cluster.md).\n\n"
      "Example:\n"
      "  pair sweep launch --out sweep --datasets cmnist --algorithms erm,irmv1 --n-hparams 5 --n-trials 2\n"
      "  pair sweep launch --out sweep --data patients.csv --label outcome --environment hospital "
      "--algorithms erm,pair\n"
      "  pair sweep launch --out sweep\n"
      "  pair sweep launch --out sweep --launcher slurm --partition gpu --gpus 1 --time 2:00:00 --max-jobs "
      "20");
  command->callback([arguments, &context] { launch(*arguments, context); });
}

}  // namespace pair::cli

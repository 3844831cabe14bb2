#include "pair/cli/sweep.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "pair/base/names.h"
#include "pair/cli/many_runs_display.h"
#include "pair/cli/recipe.h"
#include "pair/cli/select.h"
#include "pair/cli/sweep_arguments.h"
#include "pair/cli/sweep_report.h"
#include "pair/cli/train_interrupt.h"
#include "pair/runs/run_directory.h"
#include "pair/sweep/launcher.h"
#include "pair/sweep/sweep_file.h"

namespace pair::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using sweep::State;

struct LaunchArguments {
  SweepArguments sweep;
  std::size_t jobs = 0;
  std::string launcher = "local";
  bool json = false;
};

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// The sweep's jobs, new ones added. Nothing is written before all of them are known to be runnable.
std::vector<sweep::Job> settle_jobs(const SweepArguments& arguments, std::ostream& err) {
  const std::optional<sweep::Definition> definition = definition_of(arguments);
  if (!definition) {
    return jobs_of(arguments);
  }
  std::vector<sweep::Job> jobs = sweep::jobs_of(std::span(&*definition, 1));
  for (const sweep::Job& job : jobs) {
    runs::validate(job.spec);
  }
  const sweep::Added added = sweep::add_to_sweep(arguments.out, *definition);
  if (added.before > 0 && added.jobs > 0) {
    err << "pair: " << arguments.out << " held a sweep of " << counted(added.before, "job") << "; "
        << added.jobs << " more " << (added.jobs == 1 ? "is" : "are") << " now part of it\n";
  }
  return jobs;
}

// What is left to do, broken runs made ready.
std::vector<sweep::LaunchJob> jobs_left(const std::vector<sweep::Job>& jobs, const sweep::SweepStatus& status,
                                        const fs::path& out, std::ostream& err) {
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  std::vector<sweep::LaunchJob> left;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const State state = status.jobs[i].state;
    if (state == State::done) {
      continue;
    }
    if (state == State::broken) {
      err << "pair: " << jobs[i].folder << " is broken and runs again: " << status.jobs[i].message << '\n';
      sweep::mend(jobs[i], out);
    }
    left.push_back(sweep::launch_job(jobs[i].spec, out / jobs[i].folder, program));
  }
  return left;
}

struct Ended {
  std::size_t done = 0;    // by anyone
  std::size_t ran = 0;     // of these, that this launch trained to the end
  std::size_t failed = 0;  // by anyone
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
  const ordered_json summary{{"status", runs.stopped ? "stopped" : "finished"},
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
  constexpr std::array<std::string_view, 1> launchers = {"local"};
  if (std::find(launchers.begin(), launchers.end(), arguments.launcher) == launchers.end()) {
    throw UsageError(base::unknown_name("launcher", arguments.launcher, launchers));
  }
  // A file size limit shows as a failed write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  const fs::path out = arguments.sweep.out;
  const std::vector<sweep::Job> jobs = settle_jobs(arguments.sweep, context.err);
  const sweep::SweepStatus before = sweep::status_of(jobs, out);
  const std::size_t done_before = before.counts.of(State::done);
  const std::vector<sweep::LaunchJob> left = jobs_left(jobs, before, out, context.err);
  context.err << summary_of(before.counts) << std::endl;

  ManyRunsDisplay display(context.err, done_before);
  const Interrupt interrupt;
  sweep::ManyRunsHooks hooks;
  hooks.progress = [&](const sweep::ManyRunsProgress& progress) { display.show(progress); };
  hooks.should_stop = [&] { return interrupt.signal() != 0; };
  sweep::LocalLauncher launcher(arguments.jobs, hooks);
  const sweep::ManyRuns runs = launcher.launch(left);
  display.end();

  const Ended ended = count(runs);
  for (const sweep::RunOutcome& outcome : runs.outcomes) {
    if (!outcome.error.empty()) {
      context.err << "pair: " << outcome.directory.string() << " failed: " << outcome.error << '\n';
      context.status = exit_failure;
    }
  }
  if (arguments.json) {
    write_json(arguments, jobs.size(), done_before, runs, context.out);
  } else {
    context.out << done_before + ended.done << " of " << counted(jobs.size(), "job") << " done, " << ended.ran
                << " of them by this launch"
                << (ended.failed > 0 ? ", " + std::to_string(ended.failed) + " failed" : "")
                << "; records in " << arguments.sweep.out << '\n';
  }
  if (runs.stopped) {
    context.err << "Stopped; the same command goes on from there\n";
    context.status = 128 + interrupt.signal();
  }
}

void show_status(const SweepArguments& arguments, bool all, bool json, Context& context) {
  const std::vector<sweep::Job> jobs = jobs_of(arguments);
  const sweep::SweepStatus status = sweep::status_of(jobs, arguments.out);
  if (json) {
    context.out << status_json(jobs, status).dump(2, ' ', false, ordered_json::error_handler_t::replace)
                << '\n';
  } else {
    write_status(jobs, status, all, context.out);
  }
}

void collect(const SweepArguments& arguments, SelectArguments select, bool json, Context& context) {
  const std::vector<sweep::Job> jobs = jobs_of(arguments);
  const sweep::SweepStatus status = sweep::status_of(jobs, arguments.out);
  std::vector<fs::path> folders;
  for (const sweep::Job& job : jobs) {
    const fs::path folder = fs::path(arguments.out) / job.folder;
    std::error_code error;
    if (fs::file_size(runs::results_file(folder), error) > 0 && !error) {
      folders.push_back(folder);
    }
  }
  if (folders.empty()) {
    throw UsageError("'" + arguments.out + "' has no records yet: " + summary_of(status.counts));
  }
  if (!json) {
    run_select(folders, select, context);
    if (status.counts.of(State::done) < status.counts.all()) {
      // Apart from what other programs may read.
      std::ostream& out = select.format == "text" ? context.out : context.err;
      out << "\n-------- Not complete\n";
      write_status(jobs, status, /*all=*/false, out);
    }
    return;
  }
  select.format = "json";
  std::ostringstream selection;
  Context inner{context.in, selection, context.err};
  run_select(folders, select, inner);
  const ordered_json report{{"sweep", status_json(jobs, status)},
                            {"selection", ordered_json::parse(selection.str())}};
  context.out << report.dump(1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

void delete_incomplete(const SweepArguments& arguments, bool dry_run, bool json, Context& context) {
  const std::vector<sweep::Job> jobs = jobs_of(arguments);
  ordered_json folders = ordered_json::array();
  for (const sweep::Job& job : jobs) {
    const State state = sweep::status_of(job, arguments.out).state;
    if (state != State::incomplete && state != State::failed && state != State::broken) {
      continue;
    }
    if (dry_run || sweep::delete_run(job, arguments.out)) {
      folders.push_back(job.folder);
      if (!json) {
        context.out << (dry_run ? "would delete " : "deleted ") << job.folder << '\n';
      }
    }
  }
  if (json) {
    context.out << ordered_json{{dry_run ? "would_delete" : "deleted", folders}}.dump(2) << '\n';
  } else {
    context.out << counted(folders.size(), "incomplete run") << (dry_run ? " to delete\n" : " deleted\n");
  }
}

template <class Work>
auto with_usage_errors(Work work) {
  return [work] {
    try {
      work();
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  };
}

void add_launch(CLI::App& app, Context& context) {
  const auto arguments = std::make_shared<LaunchArguments>();
  CLI::App* command = app.add_subcommand("launch", "Run what is missing of a sweep");
  add_sweep_options(*command, arguments->sweep);
  add_jobs_option(*command, arguments->jobs);
  command->add_option("--launcher", arguments->launcher, "Where the runs go on: local, in this process")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Write a summary as JSON at the end");
  command->footer(
      "Runs that are done are not repeated; stopped, failed and broken ones are run again. Ctrl-C or "
      "SIGTERM\n"
      "saves and exits with status 130 or 143; the same command, or one with --out alone, goes on. Several\n"
      "launches may share a folder.\n\n"
      "Example:\n"
      "  pair sweep launch --out sweep --datasets cmnist --algorithms erm,irmv1 --n-hparams 5 --n-trials 2\n"
      "  pair sweep launch --out sweep");
  command->callback(with_usage_errors([arguments, &context] { launch(*arguments, context); }));
}

void add_status(CLI::App& app, Context& context) {
  struct Arguments {
    SweepArguments sweep;
    bool all = false;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("status", "Say how far a sweep is");
  add_sweep_options(*command, arguments->sweep);
  command->add_flag("--all", arguments->all, "Name every run that failed");
  command->add_flag("--json", arguments->json, "Write JSON");
  command->footer(
      "Example:\n"
      "  pair sweep status --out sweep\n"
      "  pair sweep status --out sweep --json | jq '.failures'");
  command->callback(with_usage_errors(
      [arguments, &context] { show_status(arguments->sweep, arguments->all, arguments->json, context); }));
}

void add_collect(CLI::App& app, Context& context) {
  struct Arguments {
    SweepArguments sweep;
    SelectArguments select;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "collect", "Choose models from a sweep, as 'pair select' does, and say what is missing");
  add_sweep_options(*command, arguments->sweep);
  add_select_options(*command, arguments->select);
  command->add_flag("--json", arguments->json, "Write the choices and the sweep's status as one JSON object");
  command->footer(
      "Example:\n"
      "  pair sweep collect --out sweep --criterion pair --validation training");
  command->callback(with_usage_errors(
      [arguments, &context] { collect(arguments->sweep, arguments->select, arguments->json, context); }));
}

void add_delete_incomplete(CLI::App& app, Context& context) {
  struct Arguments {
    SweepArguments sweep;
    bool dry_run = false;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("delete-incomplete", "Delete the sweep's runs that are begun but not done");
  add_sweep_options(*command, arguments->sweep);
  command->add_flag("--dry-run", arguments->dry_run, "Only say which");
  command->add_flag("--json", arguments->json, "Write JSON");
  command->footer(
      "Launching again goes on with such runs; this is for those that should begin anew. Runs that are "
      "going\n"
      "on, and folders that are not the sweep's, stay.\n\n"
      "Example:\n"
      "  pair sweep delete-incomplete --out sweep --dry-run");
  command->callback(with_usage_errors([arguments, &context] {
    delete_incomplete(arguments->sweep, arguments->dry_run, arguments->json, context);
  }));
}

}  // namespace

void add_sweep(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("sweep", "Run many trainings: algorithms, datasets, draws of settings, seeds");
  command->require_subcommand(1);
  command->footer(
      "Example:\n"
      "  pair sweep launch --out sweep --datasets cmnist --algorithms erm,irmv1 --n-hparams 5 --n-trials 2\n"
      "  pair sweep status --out sweep");
  add_launch(*command, context);
  add_status(*command, context);
  add_collect(*command, context);
  add_delete_incomplete(*command, context);
}

}  // namespace pair::cli

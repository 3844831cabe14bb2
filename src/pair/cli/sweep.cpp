#include "pair/cli/sweep.h"

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "pair/cli/left_out.h"
#include "pair/cli/select.h"
#include "pair/cli/sweep_arguments.h"
#include "pair/cli/sweep_cluster.h"
#include "pair/cli/sweep_report.h"
#include "pair/report/number.h"
#include "pair/runs/run_directory.h"
#include "pair/sweep/status.h"

namespace pair::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using report::counted;
using sweep::State;

// The status of some of a sweep's jobs; the others do not count as strangers.
sweep::SweepStatus status_of(const std::vector<sweep::Job>& jobs, const SweepArguments& arguments) {
  sweep::SweepStatus status = sweep::status_of(jobs, arguments.out);
  if (!status.strangers.empty()) {
    std::set<std::string> known;
    for (const sweep::Job& job : jobs_of(arguments)) {
      known.insert(job.folder);
    }
    std::erase_if(status.strangers, [&known](const std::string& folder) { return known.contains(folder); });
  }
  return status;
}

void show_status(const SweepArguments& arguments, bool all, bool json, Context& context) {
  const std::vector<sweep::Job> jobs = filtered_jobs_of(arguments);
  const sweep::SweepStatus status = status_of(jobs, arguments);
  if (json) {
    ordered_json whole = status_json(jobs, status);
    add_slurm_state(arguments.out, whole);
    context.out << whole.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
  } else {
    write_status(jobs, status, all, context.out);
    write_slurm_state(arguments.out, context.out);
  }
}

void collect(const SweepArguments& arguments, SelectArguments select, bool json, Context& context) {
  const std::vector<sweep::Job> jobs = filtered_jobs_of(arguments);
  const sweep::SweepStatus status = status_of(jobs, arguments);
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
  if (!status.strangers.empty()) {
    context.err << "pair: " << strangers_sentence(status.strangers) << "; they are left out\n";
  }
  if (!json) {
    run_select(folders, select, context);
    if (status.counts.of(State::done) < status.counts.all()) {
      // Separate from output that other programs may read.
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
  const std::vector<sweep::Job> jobs = filtered_jobs_of(arguments);
  ordered_json folders = ordered_json::array();
  for (const sweep::Job& job : jobs) {
    const State state = sweep::status_of(job, arguments.out).state;
    if (state != State::incomplete && state != State::failed && state != State::broken) {
      continue;
    }
    if (!sweep::is_own(job, arguments.out)) {
      context.err << "pair: " << job.folder
                  << " is kept: it may not belong to the sweep; remove it by hand\n";
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

void add_status(CLI::App& app, Context& context) {
  struct Arguments {
    SweepArguments sweep;
    bool all = false;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("status", "Show the progress of a sweep");
  add_sweep_options(*command, arguments->sweep, SweepOptions::filter);
  command->add_flag("--all", arguments->all, "Name every run that failed");
  command->add_flag("--json", arguments->json, "Write JSON");
  command->footer(
      "Example:\n"
      "  pair sweep status sweep\n"
      "  pair sweep status sweep --algorithms irmv1 --n-trials 1\n"
      "  pair sweep status sweep --json | jq '.failures'");
  command->callback(
      [arguments, &context] { show_status(arguments->sweep, arguments->all, arguments->json, context); });
}

void add_collect(CLI::App& app, Context& context) {
  struct Arguments {
    SweepArguments sweep;
    SelectArguments select;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "collect", "Select models from a sweep, as 'pair select' does, and list missing runs");
  add_sweep_options(*command, arguments->sweep, SweepOptions::filter);
  add_select_options(*command, arguments->select);
  command->add_flag("--json", arguments->json, "Write the choices and the sweep's status as one JSON object");
  command->footer(
      "Example:\n"
      "  pair sweep collect sweep --criterion pair --validation training");
  command->callback(
      [arguments, &context] { collect(arguments->sweep, arguments->select, arguments->json, context); });
}

void add_delete_incomplete(CLI::App& app, Context& context) {
  struct Arguments {
    SweepArguments sweep;
    bool dry_run = false;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("delete-incomplete",
                                         "Delete the sweep's runs that were started but have not finished");
  add_sweep_options(*command, arguments->sweep, SweepOptions::filter);
  command->add_flag("--dry-run", arguments->dry_run, "Only list them");
  command->add_flag("--json", arguments->json, "Write JSON");
  command->footer(
      "Launching again continues such runs; this is for starting them again from scratch. Running ones, "
      "folders\n"
      "that do not belong to the sweep, and runs that the options exclude are kept.\n\n"
      "Example:\n"
      "  pair sweep delete-incomplete sweep --dry-run");
  command->callback([arguments, &context] {
    delete_incomplete(arguments->sweep, arguments->dry_run, arguments->json, context);
  });
}

}  // namespace

CLI::App& add_sweep(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("sweep", "Run many trainings: algorithms, datasets, draws of settings, seeds");
  command->require_subcommand(1);
  command->footer(
      "Example:\n"
      "  pair sweep launch --out sweep --datasets cmnist --algorithms erm,irmv1 --n-hparams 5 --n-trials 2\n"
      "  pair sweep status sweep");
  return *command;
}

void add_sweep_keeping(CLI::App& sweep, Context& context) {
  add_status(sweep, context);
  add_collect(sweep, context);
  add_delete_incomplete(sweep, context);
  add_sweep_cancel(sweep, context);
}

}  // namespace pair::cli

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "pair/bench/bench.h"
#include "pair/bench/child.h"
#include "pair/bench/measure.h"
#include "pair/bench/temporary_folder.h"
#include "pair/cli/hand_over.h"
#include "pair/data/chained_digest.h"
#include "pair/runs/run_directory.h"
#include "pair/sweep/jobs.h"
#include "pair/sweep/status.h"
#include "pair/sweep/sweep_file.h"

// The cost of a large sweep's folder: listing its jobs, reading their state, and what launchers that share it
// lose to looking for work.

namespace pair::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct SweepArguments {
  std::int64_t runs = 60000;
  std::int64_t records = 5;
  std::int64_t launched = 300;  // runs that launchers pretend to train
  double train_ms = 100.0;
  bool json = false;
};

struct Measurement {
  std::size_t jobs = 0;
  std::size_t done = 0;
  double list_seconds = 0.0;
  double list_cpu = 0.0;  // seconds of all cores
  double status_seconds = 0.0;
  double status_cpu = 0.0;
  double command_seconds = 0.0;  // 'pair sweep status' as typed; NaN if it fails
  double lost_ms = 0.0;          // per run that a launcher trains
  double most_lost_ms = 0.0;     // the worse of the two launchers
};

// One launcher's time in `seconds`, of which it trained in `trained`.
struct Launch {
  double seconds = 0.0;
  double trained = 0.0;
  std::size_t runs = 0;
};

// At least as many jobs, a multiple of 600.
sweep::Definition definition_for(std::int64_t runs) {
  constexpr std::int64_t draws = 100;
  sweep::Definition definition;
  definition.datasets = {"cmnist"};
  definition.algorithms = {"erm", "irmv1", "vrex", "irmx", "pair", "fishr"};
  definition.n_hparams = draws;
  const auto per_trial = draws * static_cast<std::int64_t>(definition.algorithms.size());
  definition.n_trials = (runs + per_trial - 1) / per_trial;
  return definition;
}

// 'pair sweep status' of the folder. NaN if that fails.
double seconds_of_command(const fs::path& folder) {
  std::optional<std::string> line;
  const double seconds = seconds_of([&] {
    Child command({cli::program_of_user().string(), "sweep", "status", "--out", folder.string()});
    line = command.read_line();
  });
  return line ? seconds : std::numeric_limits<double>::quiet_NaN();
}

// A line as long as a real record.
std::string record_line(std::int64_t step) {
  return R"({"step":)" + std::to_string(step) + R"(,"filler":")" + std::string(1500, 'x') + R"("})";
}

// A finished run's files. Unlike a run's own, they need not survive a crash: syncing 60,000 folders takes an
// hour.
void write_finished_run(const fs::path& path, const runs::RunSpec& spec, std::int64_t records) {
  fs::create_directories(path);
  std::string lines;
  for (std::int64_t step = 1; step <= records; ++step) {
    lines += record_line(step) + "\n";
  }
  data::ChainedDigest digest;
  digest.add(lines);
  std::ofstream(runs::spec_file(path)) << runs::as_json(spec).dump(2) << '\n';
  std::ofstream(runs::results_file(path)) << lines;
  std::ofstream(runs::done_file(path)) << nlohmann::json{{"steps", records},
                                                         {"seconds", 1.0},
                                                         {"records", digest.lines()},
                                                         {"records_digest", digest.digest()},
                                                         {"versions", {{"pair", PAIR_VERSION}}}}
                                              .dump(2)
                                       << '\n';
}

// A launcher that works off its list, as sweep/many_runs.cpp does, with a pause in place of training.
Launch pretend_to_launch(std::span<const sweep::Job> jobs, const fs::path& folder,
                         std::chrono::duration<double> training) {
  Launch launch;
  const Clock::time_point began = Clock::now();
  for (const sweep::Job& job : jobs) {
    const fs::path path = folder / job.folder;
    if (runs::standing_of(path, job.spec) == runs::Standing::finished) {
      continue;
    }
    try {
      runs::RunDirectory directory(path, job.spec);
      if (runs::RunDirectory::finished(path, job.spec)) {
        continue;
      }
      const Clock::time_point start = Clock::now();
      std::this_thread::sleep_for(training);
      directory.record(record_line(1));
      directory.finish({1, 1.0}, {{"pair", PAIR_VERSION}});
      launch.trained += std::chrono::duration<double>(Clock::now() - start).count();
      ++launch.runs;
    } catch (const runs::Busy&) {
    }
  }
  launch.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return launch;
}

Measurement measure_sweep(const SweepArguments& arguments, std::ostream& err) {
  const TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "sweep";
  Measurement measured;
  std::vector<sweep::Job> jobs;
  double cpu = cpu_seconds();
  const sweep::Definition definition = definition_for(arguments.runs);
  measured.list_seconds = seconds_of([&] { jobs = sweep::jobs_of(definition); });
  measured.list_cpu = cpu_seconds() - cpu;
  measured.jobs = jobs.size();
  const auto left = static_cast<std::size_t>(std::min(arguments.launched, arguments.runs));
  err << "writing " << jobs.size() - left << " runs" << std::endl;
  sweep::add_to_sweep(folder, definition);
  for (std::size_t i = 0; i + left < jobs.size(); ++i) {
    write_finished_run(folder / jobs[i].folder, jobs[i].spec, arguments.records);
  }
  sweep::SweepStatus status;
  cpu = cpu_seconds();
  measured.status_seconds = seconds_of([&] { status = sweep::status_of(jobs, folder); });
  measured.status_cpu = cpu_seconds() - cpu;
  measured.done = status.counts.of(sweep::State::done);
  measured.command_seconds = seconds_of_command(folder);

  const std::span<const sweep::Job> unfinished = std::span(jobs).last(left);
  const std::chrono::duration<double> training(arguments.train_ms / 1000.0);
  std::vector<Launch> launches(2);
  {
    std::vector<std::jthread> launchers;
    for (Launch& launch : launches) {
      launchers.emplace_back([&] { launch = pretend_to_launch(unfinished, folder, training); });
    }
  }
  double lost = 0.0;
  std::size_t runs = 0;
  for (const Launch& launch : launches) {
    const double own = launch.seconds - launch.trained;
    lost += own;
    runs += launch.runs;
    measured.most_lost_ms = std::max(
        measured.most_lost_ms, 1000.0 * own / static_cast<double>(std::max<std::size_t>(launch.runs, 1)));
  }
  measured.lost_ms = 1000.0 * lost / static_cast<double>(std::max<std::size_t>(runs, 1));
  return measured;
}

void report_sweep(const SweepArguments& arguments, Context& context) {
  const Measurement measured = measure_sweep(arguments, context.err);
  constexpr double run_seconds = 30.0;  // a short run of the paper's
  constexpr double hour_seconds = 3600.0;
  const double between = measured.lost_ms / 1000.0 / (run_seconds + measured.lost_ms / 1000.0);
  const double beginning = (measured.list_seconds + measured.status_seconds) / hour_seconds;
  if (arguments.json) {
    context.out << nlohmann::ordered_json{{"jobs", measured.jobs},
                                          {"done", measured.done},
                                          {"list_seconds", measured.list_seconds},
                                          {"list_cpu_seconds", measured.list_cpu},
                                          {"status_seconds", measured.status_seconds},
                                          {"status_cpu_seconds", measured.status_cpu},
                                          {"command_seconds", measured.command_seconds},
                                          {"lost_ms_per_run", measured.lost_ms},
                                          {"lost_ms_per_run_worst", measured.most_lost_ms},
                                          {"lost_between_runs_of_30_s", between},
                                          {"lost_at_the_beginning_of_an_hour", beginning}}
                       .dump(2)
                << '\n';
    return;
  }
  const auto with_cpu = [](double seconds, double all_cores) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(2) << seconds << " s, " << all_cores << " s of all cores";
    return text.str();
  };
  context.out << std::fixed << std::setprecision(2) << measured.jobs << " jobs, " << measured.done
              << " of them done\n"
              << "  listing the jobs                     "
              << with_cpu(measured.list_seconds, measured.list_cpu) << "\n"
              << "  state of all                         "
              << with_cpu(measured.status_seconds, measured.status_cpu) << "\n"
              << "  'pair sweep status' (aim: 5 s)       " << measured.command_seconds << " s\n"
              << "  two launchers, looking for a run     " << measured.lost_ms << " ms per run\n"
              << "    share of a run of 30 s (aim: 1%)   " << 100.0 * between << "%\n"
              << "    list and state, of one hour        " << 100.0 * beginning << "%\n";
}

}  // namespace

void add_bench_sweep(CLI::App& bench, Context& context) {
  const auto arguments = std::make_shared<SweepArguments>();
  CLI::App* command =
      bench.add_subcommand("sweep", "The state of a large sweep, and what launchers lose to reading it");
  command->add_option("--runs", arguments->runs, "Jobs of the sweep, rounded up to a multiple of 600")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->capture_default_str();
  command->add_option("--records", arguments->records, "Records of each finished run")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000}))
      ->capture_default_str();
  command->add_option("--launched", arguments->launched, "Unfinished runs that two launchers share")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->capture_default_str();
  command->add_option("--train-ms", arguments->train_ms, "Time that a launcher pretends to train a run")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Write JSON");
  command->footer("Example:\n  pair bench sweep --runs 60000");
  command->callback([arguments, &context] { report_sweep(*arguments, context); });
}

}  // namespace pair::bench

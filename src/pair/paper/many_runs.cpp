#include "pair/paper/many_runs.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "pair/runs/dataset_cache.h"

namespace pair::paper {

std::vector<double> accuracies_of(const nlohmann::json& record) {
  std::vector<double> result;
  for (std::size_t i = 0;; ++i) {
    const std::string environment = "env" + std::to_string(i);
    const auto in = record.find(environment + "_in_acc");
    const auto found = in != record.end() ? in : record.find(environment + "_out_acc");
    if (found == record.end()) {
      return result;
    }
    result.push_back(found->get<double>());
  }
}

ManyRuns run_all(std::span<const runs::RunSpec> specs, const std::filesystem::path& root, std::size_t jobs,
                 const ManyRunsHooks& hooks) {
  ManyRuns result;
  result.outcomes.resize(specs.size());
  std::int64_t steps = 0;
  for (const runs::RunSpec& spec : specs) {
    runs::validate(spec);
    steps += spec.settings.steps;
  }

  runs::DatasetCache datasets(jobs + 1);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stopped = false;
  std::mutex mutex;
  std::size_t done = 0;
  std::vector<std::int64_t> taken(specs.size(), 0);
  std::int64_t taken_in_all = 0;
  // Called with the mutex held.
  const auto report = [&](std::size_t index, std::int64_t step) {
    taken_in_all += step - taken[index];
    taken[index] = step;
    if (hooks.progress) {
      hooks.progress(done, specs.size(), taken_in_all, steps);
    }
  };

  const auto work = [&] {
    for (std::size_t index = next++; index < specs.size() && !stopped; index = next++) {
      const runs::RunSpec& spec = specs[index];
      runs::RunHooks run_hooks;
      run_hooks.progress = [&](const runs::Progress& progress) {
        const std::lock_guard lock(mutex);
        report(index, progress.step);
      };
      run_hooks.should_stop = [&] { return stopped || (hooks.should_stop && hooks.should_stop()); };
      RunOutcome outcome;
      try {
        outcome.directory = root / runs::default_directory(spec).filename();
        const runs::RunResult run = runs::run(spec, outcome.directory, datasets, run_hooks);
        if (run.status == runs::RunResult::Status::stopped) {
          stopped = true;
          return;
        }
        outcome.record = run.records.back();
        outcome.seconds = run.seconds;
      } catch (const std::exception& error) {
        outcome.error = error.what();
      }
      const std::lock_guard lock(mutex);
      result.outcomes[index] = outcome;
      ++done;
      report(index, spec.settings.steps);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < std::min(jobs, specs.size()); ++i) {
      threads.emplace_back(work);
    }
  }
  result.stopped = stopped;
  if (stopped) {
    result.outcomes.clear();
  }
  return result;
}

}  // namespace pair::paper

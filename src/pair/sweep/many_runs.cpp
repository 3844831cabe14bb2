#include "pair/sweep/many_runs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "pair/base/files.h"
#include "pair/data/environment.h"
#include "pair/runs/dataset_cache.h"
#include "pair/runs/file.h"
#include "pair/runs/launch_check.h"
#include "pair/runs/run_directory.h"
#include "pair/runs/warnings.h"
#include "pair/sweep/pace.h"

namespace pair::sweep {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Status = RunOutcome::Status;

// Interval for checking other processes and whether to stop.
constexpr auto look_again = std::chrono::milliseconds(500);
constexpr auto nap = std::chrono::milliseconds(20);

// Damage is reported for the affected run only.
bool is_finished(const fs::path& directory, const runs::RunSpec& spec) {
  return runs::standing_of(directory, spec) == runs::Standing::finished;
}

// Identifies the data of runs that differ in their test environments only.
std::string data_key(const data::Dataset& dataset) {
  std::string key = dataset.name;
  for (const base::Field& field : dataset.options.fields()) {
    if (field.name != "test_envs") {
      key += '\n' + field.name + '=' + base::as_text(dataset.options.get(field));
    }
  }
  return key;
}

// By test environments and seed, which decide the division of the data.
std::string division_key(const runs::RunSpec& spec) {
  const base::Field* const field = spec.dataset.options.find("test_envs");
  return (field == nullptr ? "" : base::as_text(spec.dataset.options.get(*field))) + '\n' +
         std::to_string(spec.seed);
}

// Reads the data of the first run and throws std::invalid_argument if it is missing or cannot be used, or if the model
// of one of the runs cannot be trained on it. The data of the others differs in its division only, which matters for
// weights on a table: its inputs follow from the training rows.
void require_data(const std::vector<const runs::RunSpec*>& specs, runs::LaunchCheck& check) {
  try {
    const auto data_of = [](const runs::RunSpec& spec) {
      return runs::DatasetCache(0).get(spec.dataset, spec.seed);
    };
    const auto data = data_of(*specs.front());
    std::map<std::string, std::map<std::string, const runs::RunSpec*>> distinct;  // by division, by model
    for (const runs::RunSpec* const spec : specs) {
      const bool any_division = data->table == nullptr || spec->weights.empty();
      distinct[division_key(any_division ? *specs.front() : *spec)].try_emplace(runs::model_key(*spec), spec);
    }
    const std::string first = division_key(*specs.front());
    for (const auto& [division, models] : distinct) {
      const auto own = division == first ? data : data_of(*models.begin()->second);
      for (const auto& [key, spec] : models) {
        check.require_trainable(*spec, *own);
      }
    }
  } catch (const base::FileError& error) {
    if (!error.wrong_path()) {
      throw;
    }
    throw std::invalid_argument(error.what());
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(error.what());
  }
}

class Executor {
 public:
  // unfinished: those of the specs that have not finished.
  Executor(std::span<const runs::RunSpec> specs, std::span<const fs::path> directories,
           std::span<const runs::RunSpec> unfinished, std::size_t jobs, const ManyRunsHooks& hooks)
      : specs_(specs), hooks_(hooks), datasets_(jobs_at_most(specs, jobs) + 1), left_(specs.size()) {
    result_.outcomes.resize(specs.size());
    for (const runs::RunSpec& spec : unfinished) {
      runs::validate(spec);
    }
    for (std::size_t i = 0; i < specs.size(); ++i) {
      failed_before_.push_back(time_of_failure(directories[i]));
      result_.outcomes[i].directory = directories[i];
      left_[i] = specs[i].settings.steps;
      waiting_.push_back(i);
    }
    require_one_precision(unfinished);
    if (jobs == 0 && shares_device(unfinished)) {
      pace_.emplace(jobs_at_most(unfinished, jobs), Clock::now());
    }
    now_.runs = specs.size();
    now_.steps_left = std::accumulate(left_.begin(), left_.end(), std::int64_t{0});
  }

  ManyRuns run(std::size_t jobs) {
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < std::min(jobs_at_most(specs_, jobs), specs_.size()); ++i) {
        threads.emplace_back([this] {
          std::optional<std::size_t> index;
          while ((index = next(index))) {
            work(*index);
          }
        });
      }
    }
    result_.stopped = stopped_;
    return std::move(result_);
  }

 private:
  // Whether products may be in TF32 is a setting of the process, not of a run.
  static void require_one_precision(std::span<const runs::RunSpec> specs) {
    std::optional<train::Precision> first;
    for (const runs::RunSpec& spec : specs) {
      if (spec.device == "cpu") {
        continue;
      }
      const train::Precision precision = spec.settings.precision;
      if ((first.value_or(precision) == train::Precision::fp32) != (precision == train::Precision::fp32)) {
        throw std::invalid_argument(
            "precision: expected either fp32 or others for all runs that share the device, got " +
            std::string(to_string(*first)) + " and " + std::string(to_string(precision)));
      }
      first = first.value_or(precision);
    }
  }

  static bool shares_device(std::span<const runs::RunSpec> specs) {
    return std::any_of(specs.begin(), specs.end(),
                       [](const runs::RunSpec& spec) { return spec.device != "cpu"; });
  }

  // The threads of a run on a device mostly wait for it, so more threads than cores may be faster.
  static std::size_t jobs_at_most(std::span<const runs::RunSpec> specs, std::size_t jobs) {
    if (jobs > 0) {
      return jobs;
    }
    const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
    return shares_device(specs) ? 2 * processors : processors;
  }

  [[nodiscard]] bool should_stop() { return stopped_ || (hooks_.should_stop && hooks_.should_stop()); }

  [[nodiscard]] bool must_rest() {
    const std::lock_guard lock(mutex_);
    return pace_ && now_.running >= pace_->allowed();
  }

  // The next run to start; none if all have ended or it is time to stop. Waits while the remaining ones run
  // elsewhere, or while enough runs are active; the memory of the thread's last run on the device is then
  // released to the others.
  std::optional<std::size_t> next(std::optional<std::size_t> last) {
    for (bool rested = !last;; std::this_thread::sleep_for(nap)) {
      if (!rested && must_rest()) {
        runs::give_back_memory(specs_[*last]);
        rested = true;
      }
      const std::lock_guard lock(mutex_);
      if (waiting_.empty() && Clock::now() >= look_at_busy_) {
        waiting_.swap(busy_);
        look_at_busy_ = Clock::now() + look_again;
        now_.elsewhere = 0;
      }
      if (waiting_.empty() && busy_.empty()) {
        return std::nullopt;
      }
      if (should_stop()) {
        stopped_ = true;
        return std::nullopt;
      }
      if (!waiting_.empty() && (!pace_ || now_.running < pace_->allowed())) {
        const std::size_t index = waiting_.front();
        waiting_.pop_front();
        ++now_.running;
        running_[index].began = Clock::now();
        for (auto& [other, run] : running_) {
          run.company = run.company || running_.size() > 1;
        }
        return index;
      }
    }
  }

  void work(std::size_t index) {
    RunOutcome outcome = result_.outcomes[index];
    bool elsewhere = false;
    bool again = false;
    try {
      if (const std::optional<std::string> error = failed_elsewhere(index)) {
        outcome.status = Status::failed;
        outcome.error = *error;
      } else {
        train(index, outcome);
      }
    } catch (const runs::Busy&) {
      elsewhere = true;
    } catch (const runs::OutOfMemory& error) {
      again = error.will_retry;
      outcome.status = again ? Status::waiting : Status::failed;
      outcome.here = !again;
      outcome.error = again ? "" : error.what();
    } catch (const std::exception& error) {
      outcome.status = Status::failed;
      outcome.here = true;
      outcome.error = error.what();
    }
    const std::lock_guard lock(mutex_);
    --now_.running;
    running_.erase(index);
    if (again) {
      waiting_.push_front(index);
    } else if (elsewhere) {
      busy_.push_back(index);
      ++now_.elsewhere;
    } else if (outcome.status != Status::waiting) {
      now_.done += outcome.status == Status::done ? 1U : 0U;
      now_.failed += outcome.status == Status::failed ? 1U : 0U;
      set_left(index, 0);
    }
    result_.outcomes[index] = std::move(outcome);
    report();
  }

  // For a run that was out of memory: whether to retry it next to fewer other runs, which requires that the
  // number of runs is ours to choose. If several fail at the same time, the number is reduced once.
  bool retry_with_fewer(std::size_t index) {
    const std::lock_guard lock(mutex_);
    const Running& run = running_.at(index);
    if (!pace_ || !run.company) {
      return false;
    }
    if (run.began >= limited_) {
      limited_ = Clock::now();
      const std::size_t fewer = std::max<std::size_t>(now_.running, 2) - 1;
      pace_->limit(fewer);
      datasets_.forget();
      if (hooks_.notice) {
        hooks_.notice("warning: the device ran out of memory; from now on, concurrent runs are limited to " +
                      std::to_string(fewer));
      }
    }
    return true;
  }

  void train(std::size_t index, RunOutcome& outcome) {
    const runs::RunSpec& spec = specs_[index];
    std::int64_t taken = -1;
    runs::RunHooks hooks;
    hooks.keep_model = hooks_.keep_models;
    hooks.progress = [&](const runs::Progress& progress) {
      const std::lock_guard lock(mutex_);
      now_.steps_here += taken < 0 ? 0 : progress.step - taken;
      taken = progress.step;
      set_left(index, progress.steps - progress.step);
      if (pace_) {
        pace_->took(now_.steps_here, now_.running, Clock::now());
      }
      report();
    };
    hooks.should_stop = [this] { return should_stop(); };
    hooks.will_retry = [this, index] { return retry_with_fewer(index); };
    hooks.notice = [this](std::string_view sentence) {
      const std::lock_guard lock(mutex_);
      if (notices_shown_.emplace(sentence).second && hooks_.notice) {
        hooks_.notice(sentence);
      }
    };
    const runs::RunResult run = runs::run(spec, outcome.directory, datasets_, hooks);
    if (run.status == runs::RunResult::Status::stopped) {
      stopped_ = true;
      return;
    }
    outcome.status = Status::done;
    outcome.here = !run.was_done;
    outcome.record = run.records.empty() ? nlohmann::json() : run.records.back();
    outcome.seconds = run.seconds;
  }

  // When the run's last attempt failed; none if it did not. By the clock of the folder's machine, which may differ
  // from ours.
  static std::optional<fs::file_time_type> time_of_failure(const fs::path& directory) {
    std::error_code error;
    const fs::file_time_type written = fs::last_write_time(runs::failed_file(directory), error);
    return error ? std::nullopt : std::optional(written);
  }

  // The failure that another process recorded since this call began: the run would fail here, too.
  std::optional<std::string> failed_elsewhere(std::size_t index) const {
    const fs::path& directory = result_.outcomes[index].directory;
    const std::optional<fs::file_time_type> written = time_of_failure(directory);
    if (!written || written == failed_before_[index]) {
      return std::nullopt;
    }
    std::string text = runs::read_file(runs::failed_file(directory));
    return text.substr(0, text.find_last_not_of('\n') + 1);
  }

  // Both require the mutex.
  void set_left(std::size_t index, std::int64_t steps) {
    now_.steps_left += steps - std::exchange(left_[index], steps);
  }
  void report() {
    if (hooks_.progress) {
      hooks_.progress(now_);
    }
  }

  std::span<const runs::RunSpec> specs_;
  const ManyRunsHooks& hooks_;
  std::vector<std::optional<fs::file_time_type>> failed_before_;  // per run, when this call began
  runs::DatasetCache datasets_;
  std::atomic<bool> stopped_ = false;

  std::mutex mutex_;  // protects the following members
  std::optional<Pace> pace_;
  std::deque<std::size_t> waiting_;
  std::deque<std::size_t> busy_;  // running in another process
  Clock::time_point look_at_busy_ = Clock::now();
  std::vector<std::int64_t> left_;  // remaining steps per run
  struct Running {
    Clock::time_point began;
    bool company = false;  // at any time
  };
  std::map<std::size_t, Running> running_;
  Clock::time_point limited_;  // when the device last ran out of memory
  ManyRunsProgress now_;
  std::set<std::string> notices_shown_;
  ManyRuns result_;
};

}  // namespace

ManyRuns run_all(std::span<const runs::RunSpec> specs, std::span<const fs::path> directories,
                 std::size_t jobs, const ManyRunsHooks& hooks) {
  std::vector<runs::RunSpec> unfinished;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!is_finished(directories[i], specs[i])) {
      unfinished.push_back(specs[i]);
    }
  }
  if (hooks.notice) {
    for (const std::string& warning : runs::warnings_of(unfinished)) {
      hooks.notice("warning: " + warning);
    }
  }
  return Executor(specs, directories, unfinished, jobs, hooks).run(jobs);
}

ManyRuns run_all(std::span<const runs::RunSpec> specs, const fs::path& root, std::size_t jobs,
                 const ManyRunsHooks& hooks) {
  std::vector<fs::path> directories;
  for (const runs::RunSpec& spec : specs) {
    directories.push_back(root / runs::folder_name(spec));
  }
  return run_all(specs, directories, jobs, hooks);
}

void require_runnable(std::span<const runs::RunSpec> specs, const fs::path& root) {
  std::map<std::string, std::vector<const runs::RunSpec*>> left;  // by data
  for (const runs::RunSpec& spec : specs) {
    if (!is_finished(root / runs::folder_name(spec), spec)) {
      runs::validate(spec);
      left[data_key(spec.dataset)].push_back(&spec);
    }
  }
  runs::LaunchCheck check;
  for (const auto& [key, of_data] : left) {
    require_data(of_data, check);
  }
}

std::vector<Failure> failures_of(const ManyRuns& runs) {
  std::vector<Failure> failures;
  for (const RunOutcome& outcome : runs.outcomes) {
    if (outcome.error.empty()) {
      continue;
    }
    const auto same = std::ranges::find(failures, outcome.error, &Failure::error);
    if (same == failures.end()) {
      failures.push_back({outcome.error, 1, outcome.directory});
    } else {
      ++same->runs;
    }
  }
  return failures;
}

std::string text_of(const Failure& failure) {
  return (failure.runs == 1
              ? failure.directory.string() + " failed: "
              : std::to_string(failure.runs) + " runs failed, such as " + failure.directory.string() + ": ") +
         failure.error;
}

}  // namespace pair::sweep

#include "pair/sweep/status.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>

#include "pair/base/files.h"
#include "pair/base/parallel.h"
#include "pair/runs/file.h"
#include "pair/runs/run_directory.h"

namespace pair::sweep {
namespace {

namespace fs = std::filesystem;

bool is_regular(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_locked(const fs::path& results) {
  if (!is_regular(results)) {
    return false;
  }
  try {
    runs::File file(results);
    return file.is_locked();
  } catch (const std::runtime_error&) {
    return false;  // a read-only disk: nobody trains there
  }
}

// False for a pipe, a folder or a device in place of the records: the run cannot start again there.
bool can_be_records(const fs::path& results) {
  return !base::is_there(results) || is_regular(results);
}

// The obstacle that keeps an unfinished run from starting; empty if there is none.
std::string obstacle_in(const fs::path& directory) {
  std::error_code ignored;
  const std::string advice = "; 'pair sweep delete-incomplete' deletes the run";
  const fs::path spec = runs::spec_file(directory);
  if (fs::is_directory(spec, ignored) && !fs::is_empty(spec, ignored)) {  // an empty one is replaced
    return spec.string() +
           " is a folder that is not empty; move its files away, or delete the run with 'pair sweep "
           "delete-incomplete'";
  }
  const fs::path results = runs::results_file(directory);
  if (!can_be_records(results)) {
    return results.string() + " is not a regular file" + advice;
  }
  return {};
}

JobStatus status_in(const fs::path& directory, const runs::RunSpec& spec) {
  if (!base::is_there(directory)) {
    return {State::not_begun, ""};
  }
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return {State::broken, directory.string() + " is a file"};
  }
  if (runs::RunDirectory::finished(directory, spec)) {
    return {State::done, ""};
  }
  if (is_locked(runs::results_file(directory))) {
    return {State::running, ""};
  }
  if (const std::string obstacle = obstacle_in(directory); !obstacle.empty()) {
    return {State::broken, obstacle};
  }
  if (base::is_there(runs::failed_file(directory))) {
    return {State::failed, base::first_line(runs::failed_file(directory))};
  }
  return {fs::is_empty(directory, error) ? State::not_begun : State::incomplete, ""};
}

}  // namespace

std::string_view to_string(State state) {
  switch (state) {
    case State::done:
      return "done";
    case State::running:
      return "running";
    case State::failed:
      return "failed";
    case State::broken:
      return "broken";
    case State::incomplete:
      return "incomplete";
    case State::not_begun:
      break;
  }
  return "not begun";
}

std::size_t Counts::all() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
}

JobStatus status_of(const Job& job, const fs::path& folder) {
  try {
    return status_in(folder / job.folder, job.spec);
  } catch (const std::exception& error) {
    return {State::broken, error.what()};
  }
}

SweepStatus status_of(std::span<const Job> jobs, const fs::path& folder) {
  SweepStatus status;
  status.jobs.resize(jobs.size());
  base::for_each_in_parallel(jobs.size(),
                             [&](std::size_t i) { status.jobs[i] = status_of(jobs[i], folder); });
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Job& job = jobs[i];
    const State state = status.jobs[i].state;
    status.counts.add(state);
    const std::string& dataset = job.spec.dataset.name;
    const auto same = [&](const Cell& cell) {
      return std::tie(cell.dataset, cell.algorithm, cell.test_envs) ==
             std::tie(dataset, job.spec.algorithm, job.test_envs);
    };
    auto cell = std::find_if(status.cells.begin(), status.cells.end(), same);
    if (cell == status.cells.end()) {
      cell = status.cells.insert(cell, {dataset, job.spec.algorithm, job.test_envs, {}});
    }
    cell->counts.add(state);
  }
  status.strangers = strangers_in(folder, jobs);
  return status;
}

std::vector<std::string> strangers_in(const fs::path& folder, std::span<const Job> jobs) {
  std::set<std::string> folders;
  for (const Job& job : jobs) {
    folders.insert(job.folder);
  }
  std::vector<std::string> strangers = base::folders_with(folder, "results.jsonl");
  std::erase_if(strangers, [&folders](const std::string& name) { return folders.contains(name); });
  return strangers;
}

bool is_own(const Job& job, const fs::path& folder) {
  return runs::standing_of(folder / job.folder, job.spec) != runs::Standing::foreign;
}

void mend(const Job& job, const fs::path& folder) {
  const fs::path directory = folder / job.folder;
  if (runs::restore_spec(directory, job.spec)) {
    return;
  }
  if (runs::standing_of(directory, job.spec) == runs::Standing::lost &&
      can_be_records(runs::results_file(directory))) {
    std::error_code ignored;
    fs::remove(runs::done_file(directory), ignored);
  }
}

bool delete_run(const Job& job, const fs::path& folder) {
  const fs::path directory = folder / job.folder;
  std::optional<runs::File> lock;
  if (is_regular(runs::results_file(directory))) {
    lock.emplace(runs::results_file(directory));
    if (!lock->try_lock()) {
      return false;
    }
  }
  // Under the lock: the run may have finished meanwhile.
  const runs::Standing standing = runs::standing_of(directory, job.spec);
  if (standing == runs::Standing::finished || standing == runs::Standing::foreign) {
    return false;
  }
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return false;
  }
  fs::remove_all(directory, error);
  if (error) {
    throw std::runtime_error("cannot delete " + directory.string() + ": " + error.message());
  }
  return true;
}

}  // namespace pair::sweep

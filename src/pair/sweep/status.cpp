#include "pair/sweep/status.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>

#include "pair/runs/file.h"
#include "pair/runs/run_directory.h"

namespace pair::sweep {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_locked(const fs::path& results) {
  if (!is_there(results)) {
    return false;
  }
  try {
    runs::File file(results);
    return !file.try_lock();
  } catch (const std::runtime_error&) {
    return false;  // a disk that may only be read: nobody trains there
  }
}

std::string first_line(const fs::path& file) {
  try {
    const std::string text = runs::read_file(file);
    return text.substr(0, text.find('\n'));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
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
  const fs::path directory = folder / job.folder;
  std::error_code ignored;
  if (!is_there(directory)) {
    return {State::not_begun, ""};
  }
  if (!fs::is_directory(directory, ignored)) {
    return {State::broken, directory.string() + " is a file"};
  }
  if (is_there(runs::done_file(directory))) {
    try {
      if (runs::RunDirectory::finished(directory, job.spec)) {
        return {State::done, ""};
      }
    } catch (const std::exception& error) {
      return {State::broken, error.what()};
    }
  }
  if (is_locked(runs::results_file(directory))) {
    return {State::running, ""};
  }
  if (is_there(runs::failed_file(directory))) {
    return {State::failed, first_line(runs::failed_file(directory))};
  }
  return {fs::is_empty(directory, ignored) ? State::not_begun : State::incomplete, ""};
}

SweepStatus status_of(std::span<const Job> jobs, const fs::path& folder) {
  SweepStatus status;
  std::set<std::string> folders;
  for (const Job& job : jobs) {
    status.jobs.push_back(status_of(job, folder));
    const State state = status.jobs.back().state;
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
    folders.insert(job.folder);
  }
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!folders.contains(name) && is_there(runs::results_file(entry->path()))) {
      status.strangers.push_back(name);
    }
  }
  std::sort(status.strangers.begin(), status.strangers.end());
  return status;
}

bool is_own(const Job& job, const fs::path& folder) {
  return runs::standing_of(folder / job.folder, job.spec) != runs::Standing::foreign;
}

void mend(const Job& job, const fs::path& folder) {
  const fs::path directory = folder / job.folder;
  if (runs::standing_of(directory, job.spec) == runs::Standing::lost) {
    std::error_code ignored;
    fs::remove(runs::done_file(directory), ignored);
  }
}

bool delete_run(const Job& job, const fs::path& folder) {
  const fs::path directory = folder / job.folder;
  std::optional<runs::File> lock;
  if (is_there(runs::results_file(directory))) {
    lock.emplace(runs::results_file(directory));
    if (!lock->try_lock()) {
      return false;
    }
  }
  // Under the lock: it may have ended well since somebody looked.
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

#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/sweep/jobs.h"

// The progress of a sweep, read from its folder.

namespace pair::sweep {

enum class State {
  done,
  running,     // a process is training there
  failed,      // the last try ended with an error
  broken,      // finished, but its records have changed since, or the folder holds something else
  incomplete,  // started, then stopped or killed; can be resumed
  not_begun
};
inline constexpr std::array states = {State::done,   State::running,    State::failed,
                                      State::broken, State::incomplete, State::not_begun};
std::string_view to_string(State state);  // "not begun"

struct JobStatus {
  State state = State::not_begun;
  std::string message;  // why, for failed and broken
};

// Read-only.
JobStatus status_of(const Job& job, const std::filesystem::path& folder);

// The number of jobs in each state.
class Counts {
 public:
  void add(State state) { ++counts_[static_cast<std::size_t>(state)]; }
  void move(State from, State to) {
    --counts_[static_cast<std::size_t>(from)];
    add(to);
  }
  [[nodiscard]] std::size_t of(State state) const { return counts_[static_cast<std::size_t>(state)]; }
  [[nodiscard]] std::size_t all() const;

 private:
  std::array<std::size_t, states.size()> counts_{};
};

// The jobs behind one number of a table.
struct Cell {
  std::string dataset;
  std::string algorithm;
  TestEnvs test_envs;
  Counts counts;
};

struct SweepStatus {
  std::vector<JobStatus> jobs;  // in the order of the jobs
  Counts counts;
  std::vector<Cell> cells;             // in the order of their first jobs
  std::vector<std::string> strangers;  // run folders that belong to no job, by name
};

SweepStatus status_of(std::span<const Job> jobs, const std::filesystem::path& folder);

// Folders with runs inside the sweep's folder that belong to none of the given jobs, by name.
std::vector<std::string> strangers_in(const std::filesystem::path& folder, std::span<const Job> jobs);

// False if the job's folder holds something other than the job's run, or a spec.json that cannot be read.
// Such a folder is left for the user to handle.
bool is_own(const Job& job, const std::filesystem::path& folder);

// Repairs a broken job that was once finished: writes its spec.json again if that is all it lost
// (runs::restore_spec), or deletes its `done`, so that it can start again. Foreign files are kept, and the job
// will fail because of them; `done` is kept, too, if the records are not a regular file.
void mend(const Job& job, const std::filesystem::path& folder);

// Deletes the job's folder if the job is incomplete, failed or broken. Returns false if a process is training
// there or the folder holds something other than the job's run. Throws std::runtime_error if deleting fails.
bool delete_run(const Job& job, const std::filesystem::path& folder);

}  // namespace pair::sweep

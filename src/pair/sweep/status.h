#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/sweep/jobs.h"

// How far a sweep is, read from its folder.

namespace pair::sweep {

enum class State {
  done,
  running,     // some process trains there now
  failed,      // the last try ended with an error
  broken,      // done once, but its records are no longer those it ended with, or something else is there
  incomplete,  // begun and stopped or killed; goes on where it was
  not_begun
};
inline constexpr std::array states = {State::done,   State::running,    State::failed,
                                      State::broken, State::incomplete, State::not_begun};
std::string_view to_string(State state);  // "not begun"

struct JobStatus {
  State state = State::not_begun;
  std::string message;  // of failed and broken: why
};

// Changes nothing.
JobStatus status_of(const Job& job, const std::filesystem::path& folder);

// How many jobs are in each state.
class Counts {
 public:
  void add(State state) { ++counts_[static_cast<std::size_t>(state)]; }
  [[nodiscard]] std::size_t of(State state) const { return counts_[static_cast<std::size_t>(state)]; }
  [[nodiscard]] std::size_t all() const;

 private:
  std::array<std::size_t, states.size()> counts_{};
};

// The jobs that one figure of a table comes from.
struct Cell {
  std::string dataset;
  std::string algorithm;
  TestEnvs test_envs;
  Counts counts;
};

struct SweepStatus {
  std::vector<JobStatus> jobs;  // in the jobs' order
  Counts counts;
  std::vector<Cell> cells;             // in the order of their first jobs
  std::vector<std::string> strangers;  // run folders that are no job's, by name
};

SweepStatus status_of(std::span<const Job> jobs, const std::filesystem::path& folder);

// The folders in a sweep's that hold runs and are no job's, by name. Those of jobs that are not given count.
std::vector<std::string> strangers_in(const std::filesystem::path& folder, std::span<const Job> jobs);

// False where the job's folder holds something else than the job's run, or a spec.json that cannot be read:
// such a folder is left to a person.
bool is_own(const Job& job, const std::filesystem::path& folder);

// Makes a broken job that was done once begin again: deletes its `done`. What is not its own stays, and the
// job will fail by it.
void mend(const Job& job, const std::filesystem::path& folder);

// Deletes the job's folder where the job is incomplete, failed or broken; false where somebody trains there
// now, and where something else than the job's run is there. Throws std::runtime_error where the disk
// refuses.
bool delete_run(const Job& job, const std::filesystem::path& folder);

}  // namespace pair::sweep

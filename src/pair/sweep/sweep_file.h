#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "pair/sweep/definition.h"
#include "pair/sweep/jobs.h"

// sweep.json in a sweep's folder: the definitions that it was launched with, so that any process knows the
// complete list of runs. It also lists the names of the jobs' folders, for programs that only read runs.

namespace pair::sweep {

std::filesystem::path sweep_file(const std::filesystem::path& folder);

// Empty if the folder has no sweep.json. Throws std::invalid_argument if it is invalid, or if the folders that
// it lists are not those of its jobs.
std::vector<Definition> read_sweep(const std::filesystem::path& folder);

struct Added {
  std::size_t before = 0;  // jobs that the sweep already had
  std::size_t jobs = 0;    // jobs added
};

// Adds the definition's jobs that the sweep lacks: more trials, draws, algorithms, datasets or test
// environments. Creates the folder if necessary. Throws std::invalid_argument if a job differs from the
// sweep's job of the same place (another number of steps, another device), because both would count as draws
// of the same cell; and std::runtime_error if writing fails.
Added add_to_sweep(const std::filesystem::path& folder, const Definition& definition);

}  // namespace pair::sweep

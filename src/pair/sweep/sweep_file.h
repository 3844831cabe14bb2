#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "pair/sweep/definition.h"
#include "pair/sweep/jobs.h"

// sweep.json in a sweep's folder: the definitions it was launched with, so that whoever comes later knows
// which runs there are to be. The names of the jobs' folders are in it too, for programs that only read runs
// and cannot work out jobs.

namespace pair::sweep {

std::filesystem::path sweep_file(const std::filesystem::path& folder);

// None where the folder has no sweep.json. Throws std::invalid_argument where that cannot be used.
std::vector<Definition> read_sweep(const std::filesystem::path& folder);

struct Added {
  std::size_t before = 0;  // jobs that the sweep had
  std::size_t jobs = 0;    // that it did not have
};

// Adds what the sweep lacks of the definition's jobs: more trials, draws, algorithms, datasets, test
// environments. Makes the folder where there is none. Throws std::invalid_argument where a job differs from
// the sweep's own of the same place (another number of steps, another device): side by side, the two would
// count as one cell's draws. Throws std::runtime_error where the disk refuses.
Added add_to_sweep(const std::filesystem::path& folder, const Definition& definition);

}  // namespace pair::sweep

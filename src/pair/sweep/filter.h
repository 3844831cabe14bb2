#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pair/sweep/definition.h"
#include "pair/sweep/jobs.h"

namespace pair::sweep {

// Some of a sweep's jobs: those that meet all that is said here.
struct Filter {
  std::vector<std::string> datasets;
  std::vector<std::string> algorithms;    // DomainBed's names or ours
  std::optional<std::int64_t> n_hparams;  // the first so many draws. At least 1
  std::optional<std::int64_t> n_trials;   // the first so many trials. At least 1
  std::vector<TestEnvs> test_envs;        // exactly one of these sets, in any order
  bool single_test_envs = false;          // one test environment
  std::optional<Search> search;
  std::vector<runs::Override> set;  // settings that the job has, with this value
};

// Throws std::invalid_argument for a dataset or an algorithm that the sweep does not have, a value that its
// setting does not accept, and where no job is left.
std::vector<Job> filtered(std::span<const Definition> definitions, const Filter& filter);

}  // namespace pair::sweep

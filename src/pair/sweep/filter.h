#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/sweep/definition.h"
#include "pair/sweep/jobs.h"

namespace pair::sweep {

// Selects the jobs of a sweep that match all of the following.
struct Filter {
  std::vector<std::string> datasets;
  std::vector<std::string> algorithms;    // DomainBed's names or ours
  std::optional<std::int64_t> n_hparams;  // only the first n draws. At least 1
  std::optional<std::int64_t> n_trials;   // only the first n trials. At least 1
  std::vector<TestEnvs> test_envs;        // any of these sets; order does not matter
  bool single_test_envs = false;          // only jobs with one test environment
  std::optional<Search> search;
  base::Assignments set;  // settings that the job must have, with this value
};

// Throws std::invalid_argument for a dataset or algorithm that is not in the sweep, an invalid value of a
// setting, or if no job is left.
std::vector<Job> filtered(std::span<const Definition> definitions, const Filter& filter);

}  // namespace pair::sweep

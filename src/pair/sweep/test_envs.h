#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pair/runs/run_spec.h"

// The test environments of a run.

namespace pair::sweep {

// Environment numbers, from 0.
using TestEnvs = std::vector<std::int64_t>;

// Whether a run's test environments can be chosen by the setting test_envs; otherwise its dataset fixes them.
bool chooses_test_envs(const runs::RunSpec& spec);

// DomainBed's list for this number of environments: each one alone and, for leave-one-domain-out
// cross-validation, each pair, in its order ({0}, {0, 1}, {0, 2}, {1}, ...). At least one environment is left
// for training.
std::vector<TestEnvs> all_test_envs(std::int64_t environments, bool single);

// Parses "0,2". Throws std::invalid_argument for invalid text.
TestEnvs test_envs_of(std::string_view text);

// For example "0,2".
std::string as_text(std::span<const std::int64_t> test_envs);

}  // namespace pair::sweep

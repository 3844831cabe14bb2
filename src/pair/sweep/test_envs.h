#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pair/runs/run_spec.h"

// Which environments a run leaves for testing.

namespace pair::sweep {

// Numbers of environments, from 0.
using TestEnvs = std::vector<std::int64_t>;

// Whether a run's test environments can be chosen, by the setting test_envs; else its dataset has them fixed.
bool chooses_test_envs(const runs::RunSpec& spec);

// DomainBed's list for so many environments: each alone and, for leave-one-domain-out cross-validation, each
// with every later one, in its order ({0}, {0, 1}, {0, 2}, {1}, ...). At least one environment is left to
// train on.
std::vector<TestEnvs> all_test_envs(std::int64_t environments, bool single);

// "0,2" as its numbers. Throws std::invalid_argument for what is none.
TestEnvs test_envs_of(std::string_view text);
// Throws std::invalid_argument where a number is no environment of the dataset's or comes twice, or none is
// left to train on.
void check(const TestEnvs& test_envs, std::int64_t environments, std::string_view dataset);

// "0,2".
std::string as_text(std::span<const std::int64_t> test_envs);

}  // namespace pair::sweep

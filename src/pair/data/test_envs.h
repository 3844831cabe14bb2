#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pair/base/options.h"

// The option test_envs: the environments that a model is tested on and not trained on, numbered from 0. For
// datasets that let users choose them.

namespace pair::data {

// O::test_envs. `last`: the highest number that any such dataset has.
template <class O>
void describe_test_envs(base::Fields<O>& field, std::int64_t last) {
  field.wholes("test_envs", &O::test_envs, 0, last, "environments used for testing, not for training");
}

// Throws std::invalid_argument unless there is at least one, all differ, each is one of the dataset's
// environments, and at least one of those is left for training. dataset: its name, for a message where there
// are several datasets.
void check_test_envs(const std::vector<std::int64_t>& test_envs, std::int64_t environments,
                     std::string_view dataset = {});

}  // namespace pair::data

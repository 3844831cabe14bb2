#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The parts of environments as records name them (records.h): "env2_in" and "env2_out" are the two parts of
// environment 2; the splits of WILDS have names such as "val".

namespace pair::runs {

// Views into a key: 2 and "_out_acc" for "env2_out_acc".
struct EnvironmentKey {
  std::size_t number = 0;
  std::string_view rest;
};
// None if the key is a name itself.
std::optional<EnvironmentKey> environment_key(std::string_view key);

// The number of the environment that a key is about; none if the key is a name itself.
std::optional<std::size_t> environment_number(const std::string& key);

// The name of the environment that a key is about: "env2_out" is a part of environment 2 of the names. Other
// keys, such as "val", are names themselves.
std::string environment_name(const std::string& key, const std::vector<std::string>& names);

// The use of a run for the samples of a key of its records:
//   train           a training environment
//   train, held out its held-out part
//   test            a test environment, or the part of one, over which the worst test score is taken
//   test, held out  the other part of a test environment
//   validation      samples for model selection that are in neither
// `test_environment`: whether the key's environment is a test environment; `counts`: whether the worst test
// score includes it.
std::string part_of(std::string_view key, bool test_environment, bool counts);

}  // namespace pair::runs

#include "pair/sweep/test_envs.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/runs/settings.h"

namespace pair::sweep {

bool chooses_test_envs(const runs::RunSpec& spec) {
  return runs::find_setting(spec, "test_envs") != nullptr;
}

std::vector<TestEnvs> all_test_envs(std::int64_t environments, bool single) {
  std::vector<TestEnvs> sets;
  for (std::int64_t i = 0; environments > 1 && i < environments; ++i) {
    sets.push_back({i});
    for (std::int64_t j = i + 1; !single && environments > 2 && j < environments; ++j) {
      sets.push_back({i, j});
    }
  }
  return sets;
}

TestEnvs test_envs_of(std::string_view text) {
  TestEnvs numbers;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const auto number = base::number_from<std::int64_t>(text.substr(start, comma - start));
    if (!number || *number < 0) {
      throw std::invalid_argument(
          "test_envs: expected a number from 0, such as 2, or 0,2 for two in one run, "
          "got '" +
          std::string(text) + "'");
    }
    numbers.push_back(*number);
    start = comma + 1;
  }
  return numbers;
}

std::string as_text(std::span<const std::int64_t> test_envs) {
  return base::joined(test_envs, ",", [](std::int64_t number) { return std::to_string(number); });
}

}  // namespace pair::sweep

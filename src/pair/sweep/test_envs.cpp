#include "pair/sweep/test_envs.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>
#include <string>

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
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + start, text.data() + comma, number);
    if (start == comma || error != std::errc() || end != text.data() + comma || number < 0) {
      throw std::invalid_argument(
          "test_envs: expected a number from 0, such as 2, or 0,2 for two in one run, "
          "got '" +
          std::string(text) + "'");
    }
    numbers.push_back(number);
    start = comma + 1;
  }
  return numbers;
}

void check(const TestEnvs& test_envs, std::int64_t environments, std::string_view dataset) {
  const std::set<std::int64_t> each(test_envs.begin(), test_envs.end());
  if (each.empty() || each.size() < test_envs.size() || *each.begin() < 0 || *each.rbegin() >= environments ||
      std::cmp_greater_equal(each.size(), environments)) {
    throw std::invalid_argument("test_envs: expected distinct numbers from 0 to " +
                                std::to_string(environments - 1) + " (" + std::string(dataset) +
                                "), with at least one environment left for training, got '" +
                                as_text(test_envs) + "'");
  }
}

std::string as_text(std::span<const std::int64_t> test_envs) {
  std::string text;
  for (const std::int64_t number : test_envs) {
    text += (text.empty() ? "" : ",") + std::to_string(number);
  }
  return text;
}

}  // namespace pair::sweep

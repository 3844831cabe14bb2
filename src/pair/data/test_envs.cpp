#include "pair/data/test_envs.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace pair::data {

void check_test_envs(const std::vector<std::int64_t>& test_envs, std::int64_t environments,
                     std::string_view dataset) {
  const std::string of = dataset.empty() ? "" : " (" + std::string(dataset) + ")";
  const std::string accepted = " from 0 to " + std::to_string(environments - 1) + of + ", each once";
  if (test_envs.empty()) {
    throw std::invalid_argument("test_envs: expected at least one number" + accepted + ", got none");
  }
  for (const std::int64_t number : test_envs) {
    if (number < 0 || number >= environments) {
      throw std::invalid_argument("test_envs: expected numbers" + accepted + ", got " +
                                  std::to_string(number));
    }
    if (std::ranges::count(test_envs, number) > 1) {
      throw std::invalid_argument("test_envs: expected numbers" + accepted + ", got " +
                                  std::to_string(number) + " twice");
    }
  }
  if (std::cmp_equal(test_envs.size(), environments)) {
    throw std::invalid_argument("test_envs: expected at least one environment" + of +
                                " left for training, got all " + std::to_string(environments));
  }
}

}  // namespace pair::data

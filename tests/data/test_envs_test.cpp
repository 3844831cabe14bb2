#include "pair/data/test_envs.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace pair::data {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

void refuses_test_envs(const std::vector<std::int64_t>& test_envs, const char* sentence) {
  EXPECT_THAT([&] { check_test_envs(test_envs, 3); },
              ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
}

TEST(TestEnvs, AreDifferentEnvironmentsThatLeaveOneForTraining) {
  EXPECT_NO_THROW(check_test_envs({0, 2}, 3));
  refuses_test_envs({}, "test_envs: expected at least one number from 0 to 2, each once, got none");
  refuses_test_envs({3}, "test_envs: expected numbers from 0 to 2, each once, got 3");
  refuses_test_envs({-1}, "test_envs: expected numbers from 0 to 2, each once, got -1");
  refuses_test_envs({1, 1}, "test_envs: expected numbers from 0 to 2, each once, got 1 twice");
  refuses_test_envs({0, 1, 2}, "test_envs: expected at least one environment left for training, got all 3");
}

TEST(TestEnvs, AreRefusedByTheDatasetsNameWhereThereAreSeveral) {
  EXPECT_THAT([] { check_test_envs({3}, 3, "PACS"); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("test_envs: expected numbers from 0 to 2 (PACS), each once, got 3")));
}

}  // namespace
}  // namespace pair::data

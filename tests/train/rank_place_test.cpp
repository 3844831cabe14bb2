// The places that launchers give to processes, from their environment variables.

#include <gmock/gmock.h>

#include <map>
#include <string>

#include "pair/train/rank_launch.h"

namespace pair::train::rank_place_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Texts = std::map<std::string, std::string>;

RankPlace place_with(const Texts& texts) {
  return rank_place([&texts](const char* name) {
    const auto found = texts.find(name);
    return found == texts.end() ? nullptr : found->second.c_str();
  });
}

void expect_refused(const Texts& texts, const char* sentence) {
  EXPECT_THAT([&] { (void)place_with(texts); }, ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
}

TEST(RankPlace, IsThatOfOneProcessWithoutALauncher) {
  EXPECT_EQ(place_with({}).ranks, 1);
  EXPECT_EQ(place_with({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).ranks, 1);
  EXPECT_EQ(place_with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}).ranks, 1) << "in a script of sbatch";
}

TEST(RankPlace, IsTorchruns) {
  const RankPlace place = place_with({{"RANK", "3"},
                                      {"WORLD_SIZE", "4"},
                                      {"LOCAL_RANK", "1"},
                                      {"MASTER_ADDR", "node7"},
                                      {"MASTER_PORT", "29500"}});
  EXPECT_EQ(place.rank, 3);
  EXPECT_EQ(place.ranks, 4);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.address, "node7");
  EXPECT_EQ(place.port, 29500);
  EXPECT_TRUE(place.hosts_store);
}

TEST(RankPlace, UsesTheStoreOfTorchrunsAgentWithKeysOfTheAttempt) {
  const RankPlace place = place_with({{"RANK", "0"},
                                      {"WORLD_SIZE", "2"},
                                      {"MASTER_ADDR", "localhost"},
                                      {"MASTER_PORT", "1"},
                                      {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                      {"TORCHELASTIC_RESTART_COUNT", "2"}});
  EXPECT_FALSE(place.hosts_store);
  EXPECT_EQ(place.prefix, "/worker/attempt_2");
}

TEST(RankPlace, IsThatOfSrunsTask) {
  const Texts texts = {{"SLURM_PROCID", "5"},          {"SLURM_STEP_NUM_TASKS", "8"},
                       {"SLURM_LOCALID", "1"},         {"SLURM_NTASKS", "64"},
                       {"SLURM_NODELIST", "all[1-9]"}, {"SLURM_STEP_NODELIST", "n[07-08]"},
                       {"SLURM_JOB_ID", "123456"},     {"SLURM_STEP_ID", "3"}};
  const RankPlace place = place_with(texts);
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.ranks, 8);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.address, "n07");
  EXPECT_GE(place.port, 20000);
  EXPECT_LT(place.port, 60000);
  Texts next = texts;
  next["SLURM_STEP_ID"] = "4";
  EXPECT_NE(place_with(next).port, place.port);
}

TEST(RankPlace, TakesSlurmsNumberOfTasksWithinAStep) {
  EXPECT_EQ(
      place_with(
          {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"SLURM_STEP_ID", "0"}, {"SLURM_NODELIST", "a"}})
          .ranks,
      2);
}

TEST(RankPlace, PrefersTorchrunWithinASlurmTask) {
  EXPECT_EQ(
      place_with({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}})
          .ranks,
      1);
}

TEST(RankPlace, RefusesVariablesThatMakeNoSense) {
  expect_refused({{"RANK", "2"}, {"WORLD_SIZE", "2"}}, "RANK: expected an integer from 0 to 1, got '2'");
  expect_refused({{"RANK", "0"}}, "WORLD_SIZE: expected an integer from 1 to 65536, got nothing");
  expect_refused({{"WORLD_SIZE", "3x"}}, "WORLD_SIZE: expected an integer from 1 to 65536, got '3x'");
  expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "2"}}, "MASTER_ADDR: expected the host of rank 0");
  expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "0"}},
                 "MASTER_PORT: expected an integer from 1 to 65535, got '0'");
  expect_refused({{"SLURM_STEP_NUM_TASKS", "2"}},
                 "SLURM_PROCID: expected an integer from 0 to 1, got nothing");
  expect_refused({{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "0"}},
                 "SLURM_NODELIST: expected a list of hosts such as node[01-02], got nothing");
}

TEST(RankTimeout, IsTenMinutesUnlessTheVariableSaysOtherwise) {
  const auto timeout = [](const char* text) {
    return rank_timeout([text](const char* name) {
             return std::string_view(name) == "PAIR_RANK_TIMEOUT" ? text : nullptr;
           })
        .count();
  };
  EXPECT_EQ(timeout(nullptr), 600);
  EXPECT_EQ(timeout("30"), 30);
  for (const char* const wrong : {"abc", "-5", "10x", "0"}) {
    EXPECT_THAT([&] { timeout(wrong); },
                ::testing::ThrowsMessage<std::invalid_argument>(::testing::HasSubstr(
                    "PAIR_RANK_TIMEOUT: expected an integer from 1 to 1000000, got '" + std::string(wrong))));
  }
}

TEST(FirstHost, IsTheFirstOfAList) {
  EXPECT_EQ(first_host("node1"), "node1");
  EXPECT_EQ(first_host("node1,node2"), "node1");
  EXPECT_EQ(first_host("node[03-05,07],other"), "node03");
  EXPECT_EQ(first_host("node[12]"), "node12");
  EXPECT_EQ(first_host("a,b[1-2]"), "a");
  EXPECT_EQ(first_host("gpu-[1-2]-east.local,b"), "gpu-1-east.local");
  EXPECT_EQ(first_host("node["), "");
  EXPECT_EQ(first_host(""), "");
}

}  // namespace
}  // namespace pair::train::rank_place_test

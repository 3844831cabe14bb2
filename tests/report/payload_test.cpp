#include "pair/report/payload.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/report/runs.h"
#include "tests/support/without_permissions.h"

namespace pair::report::payload_test {
namespace {

using nlohmann::json;
using select::testing::write;
using ::testing::HasSubstr;
using testing::record;
using testing::records;
using testing::Scratch;

json payload_at(const std::filesystem::path& folder) {
  return payload(std::vector{folder});
}

std::vector<std::string> metric_keys(const json& payload) {
  std::vector<std::string> keys;
  for (const json& metric : payload["metrics"]) {
    keys.push_back(metric["key"]);
  }
  return keys;
}

TEST(Payload, HasARunWithItsSeriesPhasesAndSettings) {
  const Scratch scratch;
  write(scratch / "a/results.jsonl", records(100));
  write(scratch / "a/done", "done");
  const json result = payload_at(scratch.path());
  ASSERT_EQ(result["runs"].size(), 1U);
  const json& run = result["runs"][0];
  EXPECT_EQ(run["state"], "done");
  EXPECT_EQ(run["algorithm"], "pair");
  EXPECT_EQ(run["records"], 100);
  EXPECT_EQ(run["steps"], 100);
  EXPECT_EQ(run["series"]["losses.erm"].size(), 100U);
  EXPECT_EQ(run["series"]["weights.irmv1"].size(), 100U);
  EXPECT_EQ(run["phases"].size(), 3U);
  EXPECT_EQ(run["phases"][1]["from"], 31);
  EXPECT_EQ(result["settings"]["common"]["lr"], "0.001");
  EXPECT_EQ(result["headline"], "worst_test_acc");
}

TEST(Payload, RunsHaveTheirOwnNamesOfEnvironments) {
  const Scratch scratch;
  for (const int test : {1, 2}) {
    json own = record(1);
    own["args"]["test_envs"] = {test};
    own["args"]["env_names"] = {"x", "y", "2021"};
    write(scratch / std::to_string(test) / "results.jsonl", own.dump() + "\n");
  }
  const json result = payload_at(scratch.path());
  std::vector<std::string> labels;
  for (const json& metric : result["metrics"]) {
    labels.push_back(metric["label"]);
  }
  EXPECT_THAT(labels, ::testing::IsSupersetOf({"accuracy, x (training)", "accuracy, y", "accuracy, '2021'"}));
  EXPECT_EQ(result["runs"][0]["labels"],
            json({{"env1_in_acc", "accuracy, y (test)"}, {"env2_out_acc", "accuracy, '2021' (training)"}}));
}

TEST(Payload, ConstantValuesAreStoredOnce) {
  const Scratch scratch;
  write(scratch / "results.jsonl", records(50));
  const json result = payload_at(scratch.path());
  EXPECT_EQ(result["runs"][0]["series"]["divergence"], 0.25);
}

TEST(Payload, ConflictIsThereWhereRecordsHaveIt) {
  const Scratch scratch;
  json with = record(1);
  with["conflict"] = {{"irmv1", -0.5}};
  write(scratch / "results.jsonl", with.dump() + "\n");
  EXPECT_THAT(metric_keys(payload_at(scratch.path())), ::testing::Contains("conflict.irmv1"));
}

TEST(Payload, TakesAHalfWrittenLineAsAbsent) {
  const Scratch scratch;
  write(scratch / "a/results.jsonl", records(5) + record(6).dump().substr(0, 100));
  const json result = payload_at(scratch.path());
  EXPECT_EQ(result["runs"][0]["records"], 5);
  EXPECT_EQ(result["runs"][0]["state"], "open");
}

TEST(Payload, ReportsUnreadableFilesAndContinues) {
  const Scratch scratch;
  write(scratch / "a/results.jsonl", "garbage\n" + records(3) + "{\"step\": \n");
  write(scratch / "b/results.jsonl", "\xff\xfe\n");
  write(scratch / "c/failed", "no memory\n");
  write(scratch / "d/results.jsonl", records(2));
  write(scratch / "d/failed", "killed\nlong story");
  const json result = payload_at(scratch.path());
  ASSERT_EQ(result["runs"].size(), 2U);
  EXPECT_EQ(result["runs"][1]["state"], "failed");
  EXPECT_EQ(result["runs"][1]["failure"], "killed");
  EXPECT_EQ(result["progress"]["failed"], 2);
  EXPECT_EQ(result["progress"]["runs"], 3);
  EXPECT_THAT(result["notes"].dump(), HasSubstr("c failed before its first record: no memory"));
  EXPECT_THAT(result["summary"].dump(), HasSubstr("2 failed"));
  EXPECT_THAT(result["summary"].dump(), HasSubstr("c failed before its first record: no memory."));
  EXPECT_THAT(result["left_out"].dump(), HasSubstr("line 1, is not JSON"));
}

TEST(Payload, CountsFilesAndFoldersThatAreLeftOut) {
  const Scratch scratch;
  write(scratch / "a/results.jsonl", records(3));
  write(scratch / "b/results.jsonl", "");
  EXPECT_THAT(payload_at(scratch.path())["summary"].dump(),
              HasSubstr("1 file or folder was left out; the list at the end has the reason."));
  write(scratch / "c/results.jsonl", "\xff\xfe\n" + records(1));
  EXPECT_THAT(payload_at(scratch.path())["summary"].dump(),
              HasSubstr("2 files or folders were left out; the list at the end has the reasons."));
}

TEST(Payload, SaysThatPermissionsAreMissing) {
  const Scratch scratch;
  namespace fs = std::filesystem;
  fs::permissions(scratch.path(), fs::perms::all);
  write(scratch / "a/results.jsonl", records(2));
  write(scratch / "elsewhere/closed/failed", "no memory\n");
  fs::create_symlink(scratch / "elsewhere/closed/failed", scratch / "a/failed");
  fs::permissions(scratch / "elsewhere/closed", fs::perms::none);
  const tests::WithoutPermissions nobody;
  const json run = payload_at(scratch / "a")["runs"][0];
  EXPECT_EQ(run["state"], "failed");
  EXPECT_THAT(run["failure"].dump(), HasSubstr("a/failed: Permission denied"));
}

TEST(Payload, AnEmptyFolderHasNoRunsAndSaysSo) {
  const Scratch scratch;
  const json result = payload_at(scratch.path());
  EXPECT_TRUE(result["runs"].empty());
  EXPECT_THAT(result["summary"][0]["text"].get<std::string>(), HasSubstr("No run"));
  EXPECT_THROW(payload_at(scratch / "missing"), std::invalid_argument);
}

TEST(Payload, NamesNeedNotBeUtf8) {
  const Scratch scratch;
  write(scratch / "a\xff<b>/results.jsonl", records(1));
  EXPECT_NO_THROW(EXPECT_THAT(payload_at(scratch.path()).dump(), HasSubstr("a\uFFFD<b>")));
}

TEST(Payload, MethodsHaveCurvesAndSpread) {
  const Scratch scratch;
  for (int seed = 0; seed < 3; ++seed) {
    write(scratch / ("pair" + std::to_string(seed) + "/results.jsonl"),
          records(10, "pair", seed, 0.6 + 0.1 * seed));
    write(scratch / ("erm" + std::to_string(seed) + "/results.jsonl"), records(10, "erm", seed, 0.2));
  }
  const json result = payload_at(scratch.path());
  ASSERT_EQ(result["methods"].size(), 2U);
  const json& pair = result["methods"][result["methods"][0]["algorithm"] == "pair" ? 0 : 1];
  EXPECT_EQ(pair["seeds"], 3);
  EXPECT_EQ(pair["curves"]["worst_test_acc"]["step"].size(), 10U);
  EXPECT_NEAR(pair["last"]["worst_test_acc"]["mean"].get<double>(), 0.7, 1e-6);
  EXPECT_NEAR(pair["last"]["worst_test_acc"]["deviation"].get<double>(), 0.1, 1e-6);
  EXPECT_FALSE(result["selections"].empty());
}

TEST(Payload, StaysSmallHoweverMuchThereIs) {
  const Scratch scratch;
  for (int i = 0; i < 400; ++i) {
    write(scratch / ("run" + std::to_string(i) + "/results.jsonl"),
          records(120, i % 2 == 0 ? "erm" : "pair", i));
  }
  const json result = payload_at(scratch.path());
  EXPECT_LT(result.dump().size(), 1'150'000U);
  EXPECT_EQ(result["runs"].size(), 400U);
  EXPECT_FALSE(result["notes"].empty());
  EXPECT_TRUE(std::any_of(result["runs"].begin(), result["runs"].end(),
                          [](const json& run) { return !run["series"].is_null(); }));
}

}  // namespace
}  // namespace pair::report::payload_test

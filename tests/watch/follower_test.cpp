#include "pair/watch/follower.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/watch/records.h"

namespace pair::watch::test::follower_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

TEST(Follower, WantsAFolder) {
  EXPECT_THAT([] { Follower("/nonexistent"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("'/nonexistent' does not exist")));
  EXPECT_THAT([] { Follower("/dev/null"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("'/dev/null' is not a folder")));
}

TEST(Follower, SeesRecordsRunsAndEnds) {
  const Scratch scratch;
  Follower follower(scratch.path());
  EXPECT_TRUE(follower.look());
  EXPECT_THAT(follower.payload()["runs"], SizeIs(0));
  EXPECT_FALSE(follower.look());

  append(scratch / "a/results.jsonl", record(1));
  EXPECT_TRUE(follower.look());
  EXPECT_FALSE(follower.look());
  EXPECT_EQ(follower.payload()["runs"][0]["step"], 1);
  EXPECT_EQ(follower.payload()["runs"][0]["state"], "open");

  append(scratch / "a/results.jsonl", record(2));
  append(scratch / "b/results.jsonl", record(7, "erm"));
  append(scratch / "b/failed", "no luck\n");
  EXPECT_TRUE(follower.look());
  json payload = follower.payload();
  EXPECT_EQ(payload["runs"][0]["step"], 2);
  EXPECT_EQ(payload["runs"][1]["state"], "failed");
  EXPECT_EQ(payload["runs"][1]["failure"], "no luck");

  append(scratch / "a/done", "done");
  EXPECT_TRUE(follower.look());
  EXPECT_EQ(follower.payload()["runs"][0]["state"], "done");

  fs::remove_all(scratch / "a");
  EXPECT_TRUE(follower.look());
  EXPECT_THAT(follower.payload()["runs"], SizeIs(1));
}

TEST(Follower, LeavesOutADoneRunWhoseRecordsWereAltered) {
  const Scratch scratch;
  append(scratch / "a/results.jsonl", record(1));
  Follower follower(scratch.path());
  follower.look();
  EXPECT_THAT(follower.payload()["runs"], SizeIs(1));
  append(scratch / "a/done", R"({"records":1,"records_digest":"0"})");
  EXPECT_TRUE(follower.look());
  EXPECT_THAT(follower.payload()["runs"], SizeIs(0));
  EXPECT_THAT(follower.payload()["left_out"][0],
              HasSubstr("does not hold the records that the run ended with"));
}

TEST(Follower, WaitsForTheEndOfALine) {
  const Scratch scratch;
  const std::string line = record(2);
  append(scratch / "a/results.jsonl", record(1) + line.substr(0, 40));
  Follower follower(scratch.path());
  EXPECT_TRUE(follower.look());
  EXPECT_EQ(follower.payload()["runs"][0]["records"], 1);
  append(scratch / "a/results.jsonl", line.substr(40));
  EXPECT_TRUE(follower.look());
  EXPECT_EQ(follower.payload()["runs"][0]["records"], 2);
}

TEST(Follower, SeesARunStartAgain) {
  const Scratch scratch;
  append(scratch / "a/results.jsonl", record(1) + record(2) + record(3));
  append(scratch / "a/failed", "killed\n");
  Follower follower(scratch.path());
  EXPECT_TRUE(follower.look());
  fs::resize_file(scratch / "a/results.jsonl", record(1).size());
  fs::remove(scratch / "a/failed");
  EXPECT_TRUE(follower.look());
  EXPECT_EQ(follower.payload()["runs"][0]["records"], 1);
  EXPECT_EQ(follower.payload()["runs"][0]["state"], "open");
}

TEST(Follower, ReadsOnlyWhatChanged) {
  const Scratch scratch;
  append(scratch / "a/results.jsonl", record(1));
  Follower follower(scratch.path());
  EXPECT_TRUE(follower.look());
  // Different bytes with the same stamp would show if the file were read again.
  const auto modified = fs::last_write_time(scratch / "a/results.jsonl");
  {
    std::fstream file(scratch / "a/results.jsonl", std::ios::in | std::ios::out | std::ios::binary);
    file << record(9);
  }
  fs::last_write_time(scratch / "a/results.jsonl", modified);
  append(scratch / "b/results.jsonl", record(4));
  EXPECT_TRUE(follower.look());
  EXPECT_EQ(follower.payload()["runs"][0]["step"], 1);
  EXPECT_EQ(follower.payload()["runs"][1]["step"], 4);
}

TEST(Follower, ReportsUnusableFiles) {
  const Scratch scratch;
  append(scratch / "a/results.jsonl", "garbage\n" + record(1));
  fs::create_symlink("/etc/passwd", scratch / "a/failed");
  append(scratch / "b/results.jsonl", "garbage\n" + record(1));
  append(scratch / "c/failed", "no data\n");
  Follower follower(scratch.path());
  EXPECT_TRUE(follower.look());
  const json payload = follower.payload();
  EXPECT_THAT(payload["runs"], SizeIs(1));
  const std::string left_out = payload["left_out"].dump();
  EXPECT_THAT(left_out, HasSubstr("b/results.jsonl, line 1,"));
  EXPECT_THAT(payload["notes"].dump(), HasSubstr("c failed before its first record: no data"));
  EXPECT_EQ(payload["progress"]["failed"], 1);
  EXPECT_THAT(left_out, HasSubstr("a/failed links outside of"));
  EXPECT_THAT(payload.dump(), Not(HasSubstr("root:")));
}

}  // namespace
}  // namespace pair::watch::test::follower_test

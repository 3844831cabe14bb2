// 'pair watch' as users run it: a process, a port, files that grow.

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include "pair/watch/server.h"
#include "tests/cli/process.h"
#include "tests/watch/client.h"
#include "tests/watch/records.h"

namespace pair::watch::test::program_test {
namespace {

using cli::test::Conversation;
using cli::test::Finished;
using cli::test::run_pair;
using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class PairWatch : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_server()) {
      GTEST_SKIP() << "built without cpp-httplib";
    }
    append(scratch / "a/results.jsonl", record(1));
  }

  // Its port.
  static int begin(const Conversation& program) { return json::parse(program.hear_line())["port"]; }
  [[nodiscard]] std::vector<std::string> arguments() const {
    return {"watch", scratch.path().string(), "--json"};
  }

  const Scratch scratch;
};

// Whether a payload that meets the condition arrives within two seconds. Others may arrive before it: a
// folder exists before its first file.
template <class Condition>
bool shows(Events& events, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + 2s;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    const std::string payload = events.next(left);
    if (payload.empty() || condition(json::parse(payload)["runs"])) {
      return !payload.empty();
    }
  }
}

TEST_F(PairWatch, SaysWhereItIsAndEndsWithCtrlC) {
  for (const int number : {SIGINT, SIGTERM}) {
    Conversation program({"watch", scratch.path().string()});
    const std::string line = program.hear_line();
    EXPECT_THAT(line, StartsWith("Watching " + scratch.path().string() + " at http://127.0.0.1:"));
    const int port = std::stoi(line.substr(line.find("127.0.0.1:") + 10));
    Events events(port);
    EXPECT_THAT(events.next(), Not(IsEmpty()));
    const auto began = std::chrono::steady_clock::now();
    program.signal(number);
    const Finished finished = program.wait();
    EXPECT_EQ(finished.status, 0);
    EXPECT_THAT(finished.err, IsEmpty());
    EXPECT_LT(std::chrono::steady_clock::now() - began, 3s);
  }
}

TEST_F(PairWatch, ShowsARecordWithinTwoSeconds) {
  const Conversation program(arguments());
  const int port = begin(program);
  Events events(port);
  EXPECT_EQ(json::parse(events.next())["runs"][0]["step"], 1);
  for (int step = 2; step < 6; ++step) {
    append(scratch / "a/results.jsonl", record(step));
    EXPECT_TRUE(shows(events, [step](const json& runs) { return runs[0]["step"] == step; }));
  }
  append(scratch / "b/results.jsonl", record(1, "erm"));
  EXPECT_TRUE(shows(events, [](const json& runs) { return runs.size() == 2; }));
  append(scratch / "b/failed", "no luck");
  EXPECT_TRUE(shows(events, [](const json& runs) { return runs[1]["state"] == "failed"; }));
  append(scratch / "a/done", "done");
  EXPECT_TRUE(shows(events, [](const json& runs) { return runs[0]["state"] == "done"; }));
  EXPECT_EQ(status_of(get(port, "/")), 200);
}

TEST_F(PairWatch, ShowsNamesAndExecutesNone) {
  const std::string name = R"(<img src=x onerror=alert(1)>"'&)";
  append(scratch / name / "results.jsonl", record(3, "<script>alert(2)<\\/script>"));
  append(scratch / name / "failed", "</script><script>alert(3)</script>");
  const Conversation program(arguments());
  const int port = begin(program);
  const json payload = json::parse(Events(port).next());
  EXPECT_THAT(payload["runs"].dump(), HasSubstr("<img src=x onerror=alert(1)>"));
  const std::string page = body_of(get(port, "/"));
  for (const char* raw : {"<img src=x", "<script>alert(2)", "<script>alert(3)", "</script><script>alert"}) {
    EXPECT_THAT(page, Not(HasSubstr(raw)));
  }
}

TEST_F(PairWatch, ToleratesNamesThatAreNotText) {
  append(scratch / "bad\xff\xfename" / "results.jsonl", record(3));
  const Conversation program(arguments());
  EXPECT_EQ(json::parse(Events(begin(program)).next())["runs"].size(), 2U);
}

TEST_F(PairWatch, ContinuesIfTheFolderDisappearsAndReturns) {
  const Conversation program(arguments());
  Events events(begin(program));
  EXPECT_EQ(json::parse(events.next())["runs"].size(), 1U);
  std::filesystem::remove_all(scratch.path());
  EXPECT_TRUE(shows(events, [](const json& runs) { return runs.empty(); }));
  append(scratch / "a/results.jsonl", record(2));
  EXPECT_TRUE(shows(events, [](const json& runs) { return runs.size() == 1 && runs[0]["step"] == 2; }));
}

TEST_F(PairWatch, RefusesWhatItCannotUse) {
  EXPECT_EQ(run_pair({"watch"}).status, 2);
  const Finished missing = run_pair({"watch", "/nonexistent"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("'/nonexistent' does not exist; expected a run's folder"));
  EXPECT_EQ(run_pair({"watch", scratch.path().string(), "--port", "70000"}).status, 2);
  const Conversation program(arguments());
  const Finished taken =
      run_pair({"watch", scratch.path().string(), "--port", std::to_string(begin(program))});
  EXPECT_EQ(taken.status, 1);
  EXPECT_THAT(taken.err, HasSubstr("cannot listen at 127.0.0.1, port "));
}

TEST(PairBenchWatch, MeasuresWhatFollowingASweepTakes) {
  const Finished finished =
      run_pair({"bench", "watch", "--runs", "20", "--records", "5", "--repeats", "2", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const json report = json::parse(finished.out);
  EXPECT_EQ(report["runs"], 20);
  EXPECT_LT(report["idle_median_s"], report["first_s"]);
  EXPECT_GT(report["payload_bytes"], 0);
  EXPECT_GE(report["peak_mb"], report["peak_before_mb"]);
}

}  // namespace
}  // namespace pair::watch::test::program_test

// docs/tutorial.md: every command, as it is printed, in its order and in one folder.

#include <gmock/gmock.h>

#include <fstream>

#include "tests/docs/documents.h"
#include "tests/support/scratch.h"

namespace pair::docs::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The last value of a number in a run's records.
double last(const std::filesystem::path& run, const std::string& key) {
  std::ifstream records(run / "results.jsonl");
  double value = -1.0;
  for (std::string line; std::getline(records, line);) {
    const std::size_t at = line.find("\"" + key + "\":");
    value = std::stod(line.substr(at + key.size() + 3));
  }
  return value;
}

TEST(Tutorial, ShowsCommandsThatDoWhatItSays) {
  const tests::Scratch scratch;
  int commands = 0;
  for (const std::string& command : commands_of(text_of("docs/tutorial.md"), "pair")) {
    if (command.find("risk_range") != std::string::npos) {
      continue;  // The reader's own objective: tests/contributing builds it and trains with it.
    }
    ++commands;
    const Ended ended = shell(command, scratch.path());
    EXPECT_EQ(ended.status, 0) << command << "\n" << ended.err;
    if (command.starts_with("pair select") && command.ends_with("--explain")) {
      EXPECT_THAT(ended.out, HasSubstr("-------- Chosen: PAIR-s, training accuracy"));
      EXPECT_THAT(ended.out, HasSubstr("  sweep/cmnist-pair-s0-"));
    }
    if (command.starts_with("pair sweep status")) {
      EXPECT_THAT(ended.out, HasSubstr("6 runs: 6 done"));
    }
  }
  EXPECT_EQ(commands, 14);
  for (const char* file :
       {"runs/pair/spec.json", "runs/pair/done", "runs.html", "sweep.html", "figures/overlay.svg",
        "figures/overlay.csv", "runs/other/done", "chosen/model.json"}) {
    EXPECT_TRUE(std::filesystem::exists(scratch / file)) << file;
  }
  // The point of the comparison.
  EXPECT_GT(last(scratch / "runs/pair", "worst_test_acc"),
            2.0 * last(scratch / "runs/erm", "worst_test_acc"));
}

}  // namespace
}  // namespace pair::docs::testing

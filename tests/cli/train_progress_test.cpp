#include "pair/cli/train_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "pair/cli/reading_progress.h"

namespace pair::cli::train_progress_test {
namespace {

using ::testing::EndsWith;

// Lines of a run of 100 steps that records every tenth; what a step and a record take, in seconds.
std::string last_line(std::int64_t steps, double a_step, double a_record, std::int64_t first = 0) {
  const nlohmann::json record = {{"loss", 0.5}, {"worst_test_acc", 0.7}};
  std::ostringstream out;
  ProgressDisplay display(out, ProgressDisplay::Style::lines, 80);
  double seconds = 100.0;
  display.show({first, first, 100, nullptr, (100 - first) / 10}, seconds);
  for (std::int64_t step = first + 1; step <= steps; ++step) {
    const bool recorded = step % 10 == 0;
    seconds += a_step + (recorded ? a_record : 0.0);
    display.show({first, step, 100, recorded ? &record : nullptr, 10 - step / 10}, seconds);
  }
  std::string text = out.str();
  text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

TEST(ProgressDisplay, TimeLeftCountsStepsAndRecords) {
  EXPECT_THAT(last_line(20, 1.0, 0.0), EndsWith("left 1:20"));
  EXPECT_THAT(last_line(20, 0.1, 5.0), EndsWith("left 0:48"));
  EXPECT_THAT(last_line(90, 0.1, 5.0), EndsWith("left 0:06"));
  EXPECT_THAT(last_line(100, 0.1, 5.0), EndsWith("left 0:00"));
}

TEST(ProgressDisplay, HasNoDivergenceBeforeBalancing) {
  const auto line = [](const char* phase) {
    const nlohmann::json record = {{"hparams", {{"objectives", {"erm", "irmv1"}}}},
                                   {"weights", {{"erm", 1.0}, {"irmv1", 0.0}}},
                                   {"divergence", 0.0},
                                   {"phase", phase},
                                   {"worst_test_acc", 0.7}};
    std::ostringstream out;
    ProgressDisplay(out, ProgressDisplay::Style::lines, 80).show({0, 10, 100, &record, 9}, 1.0);
    return out.str();
  };
  EXPECT_THAT(line("descent"), ::testing::HasSubstr("divergence -  "));
  EXPECT_THAT(line("balance"), ::testing::HasSubstr("divergence 0  "));
}

TEST(ProgressDisplay, HasTheLossesOfAnUpdateOfItsOwn) {
  const auto losses = nlohmann::json::array({nlohmann::json::array({"risk", "size"})});
  const nlohmann::json record = {
      {"args", {{"losses", losses}}}, {"risk", 0.5}, {"size", 2.0}, {"worst_test_acc", 0.7}};
  std::ostringstream out;
  ProgressDisplay(out, ProgressDisplay::Style::lines, 80).show({0, 10, 100, &record, 9}, 1.0);
  EXPECT_THAT(out.str(), ::testing::HasSubstr("risk 0.5  size 2  "));
}

TEST(ProgressDisplay, ContinuesFromACheckpoint) {
  EXPECT_THAT(last_line(60, 0.1, 5.0, 50), EndsWith("left 0:24"));
}

TEST(ProgressDisplay, WarnsEvenIfItShowsNoProgress) {
  std::ostringstream out;
  ProgressDisplay display(out, ProgressDisplay::Style::none, 80);
  display.say("a note");
  display.warn("a warning");
  EXPECT_EQ(out.str(), "a warning\n");
}

TEST(TimedLines, ArePrintedAfterTheirTimeOnly) {
  std::ostringstream early;
  TimedLines slow(early, std::chrono::hours(1));
  slow.count("scored", "samples", 1, 10);
  EXPECT_EQ(early.str(), "");
  std::ostringstream now;
  TimedLines quick(now, std::chrono::milliseconds(0));
  quick.count("scored", "samples", 3, 10);
  quick.count("predicted", "inputs", 64, 0);
  EXPECT_EQ(now.str(), "scored 3 of 10 samples\npredicted 64 inputs\n");
}

}  // namespace
}  // namespace pair::cli::train_progress_test

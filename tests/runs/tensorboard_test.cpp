#include "pair/runs/tensorboard.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "pair/runs/file.h"
#include "tests/runs/event_decoder.h"
#include "tests/runs/fixtures.h"

namespace pair::runs::testing::tensorboard_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;
using ::testing::UnorderedElementsAre;

json record_at(std::int64_t step) {
  return {{"step", step},
          {"args", {{"seed", 3}}},
          {"hparams", {{"lr", 0.5}}},
          {"loss", 0.25},
          {"losses", {{"erm", 0.5}, {"irmv1", 0.001}}},
          {"weights", {{"erm", 0.75}, {"irmv1", 0.25}}},
          {"phase", "balance"},
          {"divergence", 1.5},
          {"feasible", true},
          {"lr", 0.1},
          {"env0_in_acc", 0.625},
          {"worst_test_acc", 0.5}};
}

std::vector<std::int64_t> steps_in(const fs::path& folder) {
  std::vector<std::int64_t> steps;
  for (const fs::path& file : event_files_in(folder)) {
    for (const DecodedEvent& event : decode_events(file)) {
      if (!event.scalars.empty()) {
        steps.push_back(event.step);
      }
    }
  }
  return steps;
}

class TensorBoard : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_tensorboard()) {
      GTEST_SKIP() << "built without protobuf";
    }
  }
  const Scratch scratch;
};

TEST_F(TensorBoard, HasWhatARecordHasInNumbers) {
  EventFile(scratch.path()).record(record_at(5), 1'700'000'000.25);
  const std::vector<fs::path> files = event_files_in(scratch.path());
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_EQ(files[0].filename(), "events.out.tfevents.1700000000.pair");
  const std::vector<DecodedEvent> events = decode_events(files[0]);
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_EQ(events[1].wall_time, 1'700'000'000.25);
  EXPECT_EQ(events[1].step, 5);
  EXPECT_THAT(events[1].scalars,
              UnorderedElementsAre(Pair("loss", 0.25F), Pair("losses/erm", 0.5F),
                                   Pair("losses/irmv1", 0.001F), Pair("weights/erm", 0.75F),
                                   Pair("weights/irmv1", 0.25F), Pair("divergence", 1.5F), Pair("lr", 0.1F),
                                   Pair("accuracy/env0_in", 0.625F), Pair("accuracy/worst_test", 0.5F)));
}

TEST_F(TensorBoard, TakesTheTimeOfNowWhereNoneIsGiven) {
  const auto seconds = [] {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  };
  const double before = seconds();
  EventFile(scratch.path()).record(record_at(1));
  const double wall_time = decode_events(event_files_in(scratch.path()).at(0)).at(1).wall_time;
  EXPECT_GE(wall_time, before);
  EXPECT_LE(wall_time, seconds());
}

TEST_F(TensorBoard, ShowsValuesThatAreNotFiniteAsNaN) {
  json record = record_at(1);
  record["loss"] = nullptr;
  record["losses"]["erm"] = nullptr;
  EventFile(scratch.path()).record(record);
  const auto scalars = decode_events(event_files_in(scratch.path()).at(0)).at(1).scalars;
  EXPECT_TRUE(std::isnan(scalars.at("loss")));
  EXPECT_TRUE(std::isnan(scalars.at("losses/erm")));
}

TEST_F(TensorBoard, IsOnDiskWithEveryRecord) {
  EventFile events(scratch.path());
  EXPECT_THAT(event_files_in(scratch.path()), IsEmpty());
  for (std::int64_t step = 1; step <= 3; ++step) {
    events.record(record_at(step));
    EXPECT_THAT(steps_in(scratch.path()), SizeIs(static_cast<std::size_t>(step)));
  }
}

TEST_F(TensorBoard, ContinuesInAnotherFileWithoutRepeatingSteps) {
  EventFile(scratch.path()).record(record_at(1), 1000);
  {
    EventFile resumed(scratch.path());
    resumed.record(record_at(1), 1000);
    resumed.record(record_at(2), 1000);
  }
  EventFile(scratch.path()).record(record_at(2), 1001);
  EXPECT_THAT(steps_in(scratch.path()), ElementsAre(1, 2));
  EXPECT_THAT(event_files_in(scratch.path()), ElementsAre(scratch / "events.out.tfevents.1000.pair",
                                                          scratch / "events.out.tfevents.1001.pair"));
}

TEST_F(TensorBoard, WritesAgainWhatACrashLeftHalfWritten) {
  EventFile events(scratch.path());
  events.record(record_at(1), 1000);
  events.record(record_at(2), 1000);
  const fs::path file = event_files_in(scratch.path()).at(0);
  fs::resize_file(file, fs::file_size(file) - 1);
  EventFile resumed(scratch.path());
  resumed.record(record_at(1), 2000);
  resumed.record(record_at(2), 2000);
  EXPECT_EQ(decode_events(event_files_in(scratch.path()).at(1)).at(1).step, 2);
}

TEST_F(TensorBoard, SaysWhatItCannotReadOrWrite) {
  EXPECT_THAT([&] { EventFile(scratch / "missing"); },
              ThrowsMessage<std::runtime_error>(::testing::HasSubstr("missing: No such file or directory")));
  EventFile events(scratch.path());
  fs::remove_all(scratch.path());
  EXPECT_THAT([&] { events.record(record_at(1)); },
              ThrowsMessage<std::runtime_error>(::testing::HasSubstr("No such file or directory")));
}

TEST_F(TensorBoard, IsReadByTensorBoardItself) {
  if (std::system("python3 -c 'import tensorboard' 2>/dev/null") != 0) {
    GTEST_SKIP() << "python3 has no tensorboard here; the other tests read the files with a decoder of ours";
  }
  EventFile(scratch.path()).record(record_at(7), 1'700'000'000);
  EventFile(scratch.path()).record(record_at(8), 1'700'000'000);
  write(scratch / "read.py", R"(
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1])
events.Reload()
for tag in sorted(events.Tags()["scalars"]):
    print(tag, [(scalar.step, round(scalar.value, 6), scalar.wall_time) for scalar in events.Scalars(tag)])
)");
  const std::string command = "python3 '" + (scratch / "read.py").string() + "' '" + scratch.path().string() +
                              "' > '" + (scratch / "out").string() + "' 2> '" + (scratch / "err").string() +
                              "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_file(scratch / "err");
  const std::string out = read_file(scratch / "out");
  for (const char* line : {"accuracy/env0_in [(7, 0.625, 1700000000.0), (8, 0.625, 1700000000.0)]\n",
                           "losses/irmv1 [(7, 0.001, 1700000000.0), (8, 0.001, 1700000000.0)]\n",
                           "weights/erm [(7, 0.75, 1700000000.0), (8, 0.75, 1700000000.0)]\n"}) {
    EXPECT_THAT(out, ::testing::HasSubstr(line));
  }
}

}  // namespace
}  // namespace pair::runs::testing::tensorboard_test

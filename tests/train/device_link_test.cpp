#include "pair/train/device_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "pair/train/host_numbers.h"
#include "tests/train/noting_recorder.h"

namespace pair::train::device_link_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::NotingRecorder;

class DeviceLinkTest : public ::testing::Test {
 protected:
  std::vector<std::string> notes;
  DeviceLink link{torch::kCPU, std::make_unique<NotingRecorder>(notes)};
  DeviceLink refusing{torch::kCPU, std::make_unique<NotingRecorder>(notes, "it draws")};
  DeviceLink cpu{torch::kCPU};
};

TEST_F(DeviceLinkTest, WithoutAQueueWorkIsDoneAtOnceAndNothingWaits) {
  EXPECT_FALSE(cpu.asynchronous());
  EXPECT_EQ(cpu.enter(), nullptr);
  int done = 0;
  cpu.perform([&] { ++done; });
  cpu.wait();
  RepeatedWork work(cpu, "steps");
  work.set({[&] { ++done; }});
  work.play(0);
  work.play(0);
  EXPECT_EQ(done, 3);
  EXPECT_THAT(cpu.take_notices(), IsEmpty());
}

TEST_F(DeviceLinkTest, RepeatedWorkIsRecordedAfterItWasDoneOnce) {
  RepeatedWork work(link, "steps");
  EXPECT_TRUE(work.empty());
  work.set({[&] { notes.emplace_back("first"); }, [&] { notes.emplace_back("second"); }});
  for (int i = 0; i < 2; ++i) {
    work.play(0);
    work.play(1);
  }
  EXPECT_THAT(notes, ElementsAre("perform", "first", "perform", "second", "record 2", "play 0", "play 1"));
  work.clear();
  EXPECT_TRUE(work.empty());
}

TEST_F(DeviceLinkTest, WorkThatCannotBeRecordedIsLaunchedDirectlyWithOneNotice) {
  RepeatedWork work(refusing, "evaluations");
  for (int round = 0; round < 2; ++round) {
    work.set({[] {}});
    work.play(0);
    work.play(0);
    work.play(0);
  }
  EXPECT_THAT(notes,
              ElementsAre("perform", "record 1", "perform", "perform", "perform", "perform", "perform"));
  const std::vector<std::string> notices = refusing.take_notices();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_THAT(notices[0], HasSubstr("evaluations are launched one operation at a time"));
  EXPECT_THAT(notices[0], HasSubstr("it draws"));
  EXPECT_THAT(refusing.take_notices(), IsEmpty());
}

TEST_F(DeviceLinkTest, WorkThatMustNotBeRecordedIsNot) {
  RepeatedWork work(link, "steps");
  work.never_record();
  work.set({[] {}});
  work.play(0);
  work.play(0);
  EXPECT_THAT(notes, ElementsAre("perform", "perform"));
}

TEST_F(DeviceLinkTest, ControlsStayInTheSameMemoryAndWaitOnlyToOverwriteWhatMayBeRead) {
  StepControls controls(2, link);
  const torch::Tensor weights = controls.weights();
  const torch::Tensor lr = controls.lr();
  controls.set({0.25, 0.75}, 0.1, /*device_is_idle=*/true);
  EXPECT_THAT(to_doubles(weights), ElementsAre(0.25, 0.75));
  EXPECT_EQ(lr.item<double>(), 0.1);
  EXPECT_THAT(notes, IsEmpty());
  controls.set({0.25, 0.75}, 0.1, /*device_is_idle=*/false);  // nothing new
  EXPECT_THAT(notes, IsEmpty());
  controls.set({0.25, 0.75}, 0.2, /*device_is_idle=*/false);
  EXPECT_THAT(notes, ElementsAre("wait"));
  EXPECT_EQ(lr.item<double>(), 0.2);
}

TEST_F(DeviceLinkTest, NumbersToTheHostWaitOnce) {
  NumbersToHost numbers(3, link);
  EXPECT_THAT(numbers.read(torch::tensor({1.0, 2.0, 3.0}, torch::kDouble)), ElementsAre(1.0, 2.0, 3.0));
  EXPECT_THAT(notes, ElementsAre("wait"));
}

}  // namespace
}  // namespace pair::train::device_link_test

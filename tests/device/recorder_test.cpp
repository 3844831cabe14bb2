#include "pair/device/recorder.h"

#include <gmock/gmock.h>
#include <torch/cuda.h>
#include <torch/utils.h>

#include <array>

// Tests that need a CUDA device are skipped without one.

namespace pair::device::recorder_test {
namespace {

using Work = Recorder::Work;

TEST(Recorder, IsNoneOnTheCpuWhereWorkIsJustDone) {
  EXPECT_EQ(make_recorder(torch::kCPU), nullptr);
  int done = 0;
  perform_apart(torch::kCPU, [&] { ++done; });
  EXPECT_EQ(done, 1);
}

class RecorderOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) {
      GTEST_SKIP() << "no CUDA device here";
    }
    recorder = make_recorder(torch::kCUDA);
    scope = recorder->enter();
    x = torch::zeros({1000}, torch::kCUDA);
  }

  // After the first, which must be done operation by operation.
  std::unique_ptr<Recording> recorded(const Work& work) {
    recorder->perform(work);
    return recorder->record(std::array{work}, why);
  }

  double first() const { return x[0].item<double>(); }

  torch::NoGradGuard no_graph;
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<Recorder::Scope> scope;
  torch::Tensor x;
  std::string why;
};

TEST_F(RecorderOnDevice, RecordsWithoutDoingAndPlaysAgain) {
  const auto recording = recorded([this] { x.add_(1.0); });
  ASSERT_NE(recording, nullptr) << why;
  EXPECT_EQ(first(), 1.0);
  for (int i = 0; i < 3; ++i) {
    recording->play(0);
  }
  EXPECT_EQ(first(), 4.0);
}

TEST_F(RecorderOnDevice, SaysWhyItCannotAndRecordsAgainAfterwards) {
  for (int i = 0; i < 5; ++i) {
    // To look at a number is to wait for the device.
    EXPECT_EQ(recorded([this] { x.mul_(x[0].item<double>() > -1.0 ? 1.0 : 2.0); }), nullptr);
    EXPECT_NE(why, "");
    why.clear();
    // Neither is there a queue that still records, nor memory that is still kept for what failed.
    const auto recording = recorded([this] { x.add_(torch::ones_like(x)); });
    ASSERT_NE(recording, nullptr) << why;
    x.zero_();
    recording->play(0);
    EXPECT_EQ(first(), 1.0);
  }
}

TEST_F(RecorderOnDevice, RecordsWorkThatThrowsNot) {
  bool bad = false;
  const Work work = [&] {
    TORCH_CHECK(!bad, "this work throws");
    x.add_(1.0);
  };
  recorder->perform(work);
  bad = true;
  EXPECT_EQ(recorder->record(std::array{work}, why), nullptr);
  EXPECT_THAT(why, ::testing::HasSubstr("this work throws"));
}

// 200 of them, one after another, that work in a GiB each: more than a card holds.
TEST_F(RecorderOnDevice, FreesTheMemoryOfDestroyedRecordings) {
  for (int i = 0; i < 200; ++i) {
    const auto recording = recorded([this] {
      const torch::Tensor large = torch::empty({1 << 28}, torch::kCUDA);
      x.add_(large.narrow(0, 0, 1).zero_().add_(1.0));
    });
    ASSERT_NE(recording, nullptr) << "recording " << i << ": " << why;
    x.zero_();
    recording->play(0);
    ASSERT_EQ(first(), 1.0);
  }
}

TEST_F(RecorderOnDevice, PlaysRecordingsThatShareTheirMemoryInAnyOrder) {
  torch::Tensor a;
  torch::Tensor b;
  const Work first_part = [&] { a = (x + 1.0).square().sum(); };
  const Work second_part = [&] { b = (x - 1.0).abs().sum(); };
  recorder->perform(first_part);
  recorder->perform(second_part);
  const auto one = recorder->record(std::array{first_part}, why);
  const auto two = recorder->record(std::array{second_part}, why);
  ASSERT_TRUE(one && two) << why;
  for (const double value : {0.0, 2.0, -3.0}) {
    x.fill_(value);
    two->play(0);
    one->play(0);
    two->play(0);
    EXPECT_EQ(a.item<double>(), 1000.0 * (value + 1.0) * (value + 1.0));
    EXPECT_EQ(b.item<double>(), 1000.0 * std::abs(value - 1.0));
  }
}

}  // namespace
}  // namespace pair::device::recorder_test

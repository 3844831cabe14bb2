#include "pair/train/routine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pair::train {
namespace {

using device::Recorder;
using device::Recording;

// Notes what is asked of it.
class NotingRecorder : public Recorder {
 public:
  explicit NotingRecorder(std::vector<std::string>& notes, std::string refusal = "")
      : notes_(notes), refusal_(std::move(refusal)) {}

  std::unique_ptr<Scope> enter() override { return std::make_unique<Scope>(); }
  void wait() override {}
  void perform(const Work& work) override {
    notes_.emplace_back("perform");
    work();
  }
  std::unique_ptr<Recording> record(std::span<const Work> parts, std::string& why) override {
    notes_.push_back("record " + std::to_string(parts.size()));
    why = refusal_;
    return refusal_.empty() ? std::make_unique<Noting>(notes_) : nullptr;
  }

 private:
  class Noting : public Recording {
   public:
    explicit Noting(std::vector<std::string>& notes) : notes_(notes) {}
    void play(std::size_t part) override { notes_.push_back("play " + std::to_string(part)); }

   private:
    std::vector<std::string>& notes_;
  };

  std::vector<std::string>& notes_;
  std::string refusal_;
};

class RoutineTest : public ::testing::Test {
 protected:
  std::vector<std::string> notes;
  Routine routine{{[this] { notes.emplace_back("first"); }, [this] { notes.emplace_back("second"); }}};
};

TEST_F(RoutineTest, IsJustDoneWithoutARecorder) {
  routine.play(0, nullptr);
  routine.play(1, nullptr);
  EXPECT_THAT(notes, ::testing::ElementsAre("first", "second"));
}

TEST_F(RoutineTest, IsRecordedOnceAllPartsWereDone) {
  NotingRecorder recorder(notes);
  EXPECT_EQ(routine.prepare(recorder), "");
  routine.play(0, &recorder);  // the second is left out
  EXPECT_EQ(routine.prepare(recorder), "");
  routine.play(0, &recorder);
  routine.play(1, &recorder);
  EXPECT_THAT(notes, ::testing::ElementsAre("perform", "first", "perform", "first", "perform", "second"));
  notes.clear();
  EXPECT_EQ(routine.prepare(recorder), "");
  routine.play(0, &recorder);
  EXPECT_EQ(routine.prepare(recorder), "");
  routine.play(0, &recorder);
  routine.play(1, &recorder);
  EXPECT_THAT(notes, ::testing::ElementsAre("record 2", "play 0", "play 0", "play 1"));
}

TEST_F(RoutineTest, GoesOnUnrecordedAndSaysWhy) {
  NotingRecorder recorder(notes, "no");
  routine.play(0, &recorder);
  routine.play(1, &recorder);
  notes.clear();
  EXPECT_EQ(routine.prepare(recorder), "no");
  routine.play(0, &recorder);
  routine.play(1, &recorder);
  EXPECT_THAT(notes, ::testing::ElementsAre("record 2", "perform", "first", "perform", "second"));
}

}  // namespace
}  // namespace pair::train

#include "pair/train/routine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/train/noting_recorder.h"

namespace pair::train::routine_test {
namespace {

using testing::NotingRecorder;

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

TEST_F(RoutineTest, ContinuesUnrecordedAndSaysWhy) {
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
}  // namespace pair::train::routine_test

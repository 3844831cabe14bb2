#include "pair/runs/record_schedule.h"

#include <gmock/gmock.h>

#include "tests/runs/fixtures.h"

namespace pair::runs::testing::record_schedule_test {
namespace {

using ::testing::ElementsAre;

RunSpec recorded(std::int64_t steps, std::int64_t every, std::int64_t first = 0) {
  RunSpec spec = small_spec();
  spec.settings.steps = steps;
  spec.eval_every = every;
  spec.eval_first = first;
  return spec;
}

std::vector<std::int64_t> recorded_steps(const RunSpec& spec) {
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 0; step <= spec.settings.steps; ++step) {
    if (is_recorded(spec, step)) {
      steps.push_back(step);
    }
  }
  return steps;
}

TEST(RecordSchedule, HasEveryIntervalAndTheLastStep) {
  EXPECT_THAT(recorded_steps(recorded(10, 4)), ElementsAre(4, 8, 10));
  EXPECT_THAT(recorded_steps(recorded(8, 4)), ElementsAre(4, 8));
  EXPECT_THAT(recorded_steps(recorded(3, 4)), ElementsAre(3));
}

TEST(RecordSchedule, BeginsAtTheFirstRecord) {
  EXPECT_THAT(recorded_steps(recorded(10, 4, 1)), ElementsAre(1, 5, 9, 10));
  EXPECT_THAT(recorded_steps(recorded(10, 4, 7)), ElementsAre(7, 10));
  EXPECT_THAT(recorded_steps(recorded(10, 4, 20)), ElementsAre(10));
}

TEST(RecordSchedule, CountsTheRecordsToCome) {
  for (const RunSpec& spec :
       {recorded(10, 4), recorded(8, 4), recorded(3, 4), recorded(10, 4, 1), recorded(10, 4, 20)}) {
    auto left = static_cast<std::int64_t>(recorded_steps(spec).size());
    for (std::int64_t step = 0; step <= spec.settings.steps; ++step) {
      left -= is_recorded(spec, step) ? 1 : 0;
      EXPECT_EQ(records_left(spec, step), left) << "after step " << step << " of " << spec.settings.steps;
    }
  }
}

}  // namespace
}  // namespace pair::runs::testing::record_schedule_test

#include "pair/report/phases.h"

#include <gmock/gmock.h>

namespace pair::report::phases_test {
namespace {

// Records at steps 1, 2, ...: the number that descend, and the weights of ERM in those that balance.
select::Run run_of(int descent, const std::vector<double>& balance) {
  select::Run run;
  std::int64_t step = 0;
  for (int i = 0; i < descent; ++i) {
    run.add(++step, std::vector<std::pair<std::string, double>>{{"weights.erm", 1}, {"balancing", 0}});
  }
  for (const double erm : balance) {
    run.add(++step, std::vector<std::pair<std::string, double>>{{"weights.erm", erm}, {"balancing", 1}});
  }
  return run;
}

std::vector<std::string> names(const std::vector<Phase>& phases) {
  std::vector<std::string> all;
  for (const Phase& phase : phases) {
    all.push_back(phase.name);
  }
  return all;
}

TEST(Phases, AreThoseOfTheFigure) {
  const std::vector<Phase> phases =
      phases_of(run_of(10, {0.9, 0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}));
  ASSERT_THAT(names(phases), ::testing::ElementsAre("Fitting", "Adaption", "Generalization"));
  EXPECT_EQ(phases[0].from, 1);
  EXPECT_EQ(phases[1].from, 11);
  EXPECT_EQ(phases[2].to, 21);
  EXPECT_GT(phases[2].from, 11);
}

TEST(Phases, OneJumpOfTheWeightsEndsNothing) {
  const std::vector<Phase> phases =
      phases_of(run_of(2, {1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}));
  ASSERT_THAT(names(phases), ::testing::ElementsAre("Fitting", "Adaption", "Generalization"));
  EXPECT_LT(phases[2].from, 12);
}

TEST(Phases, WithoutEnoughWeightOnTheOthersThereIsNoGeneralization) {
  EXPECT_THAT(names(phases_of(run_of(3, std::vector<double>(20, 0.9)))),
              ::testing::ElementsAre("Fitting", "Adaption"));
}

TEST(Phases, RunsThatNeverBalanceHaveNone) {
  EXPECT_TRUE(phases_of(run_of(5, {})).empty());
  EXPECT_TRUE(phases_of(select::Run{}).empty());
}

}  // namespace
}  // namespace pair::report::phases_test

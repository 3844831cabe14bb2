#include "pair/report/methods.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "pair/report/series.h"

namespace pair::report::methods_test {
namespace {

using ::testing::ElementsAre;

select::Run run_of(const std::string& algorithm, std::int64_t seed,
                   const std::vector<std::pair<std::int64_t, double>>& points) {
  select::Run run;
  run.name = algorithm + std::to_string(seed);
  run.algorithm = algorithm;
  run.dataset = "cmnist";
  run.trial_seed = seed;
  for (const auto& [step, value] : points) {
    run.add(step, std::vector<std::pair<std::string, double>>{{"losses.erm", value}});
  }
  return run;
}

TEST(Methods, AreAlgorithmsWithTheirRunsAndSeeds) {
  const select::History history{run_of("pair", 0, {{1, 1}}), run_of("erm", 0, {{1, 1}}),
                                run_of("pair", 0, {{1, 2}})};
  const std::vector<Method> methods = methods_of(history);
  ASSERT_EQ(methods.size(), 2U);
  const Method& pair = methods[0].algorithm == "pair" ? methods[0] : methods[1];
  EXPECT_THAT(pair.runs, ElementsAre(0U, 2U));
  EXPECT_EQ(pair.seeds, 1U);
  EXPECT_EQ(pair.label, "pair");
}

TEST(Methods, ACurveHasTheMeanAndTheOutermostRuns) {
  const select::History history{run_of("a", 0, {{1, 1}, {2, 4}}), run_of("a", 1, {{1, 3}, {2, 8}})};
  const Curve curve = curve_of(history, methods_of(history)[0], metric_of("losses.erm"), 100);
  EXPECT_THAT(curve.steps, ElementsAre(1, 2));
  EXPECT_THAT(curve.mean, ElementsAre(2, 6));
  EXPECT_THAT(curve.low, ElementsAre(1, 4));
  EXPECT_THAT(curve.high, ElementsAre(3, 8));
}

TEST(Methods, ACurveLeavesOutStepsThatFewRunsReachAndValuesThatAreNotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  const select::History history{run_of("a", 0, {{1, 1}, {2, inf}, {3, 1}}), run_of("a", 1, {{1, 1}, {2, 2}}),
                                run_of("a", 2, {{1, 1}, {2, 2}})};
  const Curve curve = curve_of(history, methods_of(history)[0], metric_of("losses.erm"), 100);
  EXPECT_THAT(curve.steps, ElementsAre(1, 2));
  EXPECT_THAT(curve.mean, ElementsAre(1, 2));
}

TEST(Methods, ASpreadIsThatOfASample) {
  const Spread spread = spread_of(std::vector<double>{1, std::nan(""), 3});
  EXPECT_DOUBLE_EQ(spread.mean, 2);
  EXPECT_DOUBLE_EQ(spread.deviation, std::sqrt(2.0));
  EXPECT_EQ(spread.runs, 2U);
  EXPECT_EQ(spread_of({}).runs, 0U);
}

TEST(Series, ThinnedRecordsKeepBothEnds) {
  EXPECT_THAT(shown_records(3, 10), ElementsAre(0U, 1U, 2U));
  EXPECT_THAT(shown_records(11, 3), ElementsAre(0U, 5U, 10U));
  EXPECT_TRUE(shown_records(0, 3).empty());
}

}  // namespace
}  // namespace pair::report::methods_test

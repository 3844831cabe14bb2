#include "pair/base/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pair::base::statistics_test {
namespace {

TEST(MeanAndDeviation, DividesByTheNumberOfValuesOrByOneLess) {
  const std::vector<double> values{1.0, 2.0, 3.0, 6.0};
  EXPECT_DOUBLE_EQ(mean_and_deviation(values).mean, 3.0);
  EXPECT_DOUBLE_EQ(mean_and_deviation(values).deviation, std::sqrt(14.0 / 4.0));
  EXPECT_DOUBLE_EQ(mean_and_deviation(values, Deviation::sample).deviation, std::sqrt(14.0 / 3.0));
}

TEST(MeanAndDeviation, OfOneValueOrNoneHasNoDeviation) {
  for (const Deviation kind : {Deviation::population, Deviation::sample}) {
    EXPECT_EQ(mean_and_deviation({}, kind).mean, 0.0);
    EXPECT_EQ(mean_and_deviation({}, kind).deviation, 0.0);
    EXPECT_EQ(mean_and_deviation(std::vector{7.0}, kind).mean, 7.0);
    EXPECT_EQ(mean_and_deviation(std::vector{7.0}, kind).deviation, 0.0);
  }
}

}  // namespace
}  // namespace pair::base::statistics_test

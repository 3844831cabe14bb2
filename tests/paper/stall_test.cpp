#include "pair/paper/stall.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "pair/paper/two_bit_descent.h"

namespace pair::paper::stall_test {
namespace {

using data::two_bit::Loss;
using nlohmann::json;

TEST(Stall, IsAllTheWayToFIrmUnderTheLogisticLoss) {
  data::two_bit::Spec spec = two_bit_case("failure");
  spec.loss = Loss::logistic;
  const json found = stall(spec);
  for (const json& point : found["points"]) {
    EXPECT_TRUE(point["stalls"]);
    EXPECT_EQ(point["worst"], "vrex");
    EXPECT_LT(point["pareto_stationarity"], 1e-6) << "ERM and V-REx are opposed";
    EXPECT_NEAR(point["speed"].get<double>(), 0.0, 1e-12);
    EXPECT_GT(point["norms"][2], 0.0) << "and yet V-REx could be lowered";
  }
}

TEST(Stall, IsNotOnTheWayInTheOriginalCase) {
  const json found = stall(two_bit_case("original"));
  for (const json& point : found["points"]) {
    if (point["beta"] > 0.2) {
      EXPECT_FALSE(point["stalls"]) << point;
      EXPECT_GT(point["speed"], 0.0);
    }
  }
}

}  // namespace
}  // namespace pair::paper::stall_test

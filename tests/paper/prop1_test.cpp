#include "pair/paper/prop1.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "pair/paper/invariant_sets.h"

namespace pair::paper::prop1_test {
namespace {

using data::two_bit::Loss;
using data::two_bit::objectives;
using nlohmann::json;

TEST(Prop1, HoldsOnTheWholeGrid) {
  const json result = prop1();
  EXPECT_TRUE(result["holds"]);
  for (const json& loss : result["losses"]) {
    EXPECT_EQ(loss["cases"], 99 * 36);
    EXPECT_EQ(loss["holds"], loss["cases"]);
    EXPECT_LT(loss["location_error"], 1e-8);
    EXPECT_LT(loss["spread"], 1e-12);
    EXPECT_GT(loss["nearest_other"], 0.1);
    EXPECT_NEAR(loss["threshold"].get<double>(), loss["threshold_formula"].get<double>(), 1e-6);
    EXPECT_GT(loss["lower_erm"], 0);
    EXPECT_LT(loss["lower_erm"], loss["more_than_irm"]);
  }
  EXPECT_NEAR(result["losses"][0]["threshold"].get<double>(), 0.1464, 1e-4);
  EXPECT_EQ(result["losses"][0]["misjudged"], 0);
  EXPECT_LT(result["losses"][0]["f_1_error"], 1e-8);
  EXPECT_LT(result["circle"]["derivative"], 1e-14);
  EXPECT_LT(result["circle"]["spread"], 1e-14);
  EXPECT_LT(result["circle"]["distance"], 1e-14);
  EXPECT_GT(result["circle"]["off_circle"], 0.05);
  EXPECT_THAT(prop1_text(result), testing::HasSubstr("holds on the whole grid"));
}

TEST(Prop1, FailureNeedsMoreThanASmallAlpha) {
  // The spurious bit must also be good enough on average: with beta 0.4 and 0.5, f_1 exists and loses.
  EXPECT_TRUE(square_loss_fails(0.1, (0.11 + 0.4) / 2));
  EXPECT_TRUE(square_loss_has_more(0.1));
  EXPECT_FALSE(square_loss_fails(0.1, 0.45));
  const data::two_bit::Spec spec{Loss::square, 0.1, {0.4, 0.5}};
  const auto found = irms_invariants(spec);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_GT(objectives(spec, found[2].f).erm.value, objectives(spec, found[1].f).erm.value);
}

TEST(Prop1, RefusesValuesOutOfRange) {
  EXPECT_THROW(prop1({{0.0}, {0.1, 0.2}}), std::invalid_argument);
  EXPECT_THROW(prop1({{0.1}, {0.1, 0.1}}), std::invalid_argument);
}

}  // namespace
}  // namespace pair::paper::prop1_test

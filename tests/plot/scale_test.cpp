#include "pair/plot/scale.h"

#include <gmock/gmock.h>

#include <cmath>

namespace pair::plot::scale_test {
namespace {

Extent extent_of(Scale scale, const std::vector<double>& values) {
  Needed needed(scale);
  needed.add(values);
  needed.ask_for_room();
  return needed.extent({});
}

TEST(Extent, HoldsTheNumbersWithRoom) {
  const Extent linear = extent_of(Scale::linear, {0, 10, NAN, INFINITY});
  EXPECT_DOUBLE_EQ(linear.low, -0.5);
  EXPECT_DOUBLE_EQ(linear.high, 10.5);
  const Extent logarithmic = extent_of(Scale::logarithmic, {1, 1e20, 0, -5});
  EXPECT_NEAR(std::log10(logarithmic.low), -1, 1e-9);
  EXPECT_NEAR(std::log10(logarithmic.high), 21, 1e-9);
}

TEST(Extent, PutsEqualNumbersInTheMiddle) {
  for (const double value : {0.0, 5.0, -2e-9, 1e12}) {
    const Extent extent = extent_of(Scale::linear, {value, value * (1 + 1e-12)});
    EXPECT_LT(extent.low, value);
    EXPECT_GT(extent.high, value);
    EXPECT_NEAR((extent.low + extent.high) / 2, value,
                1e-9 * (extent.high - extent.low) + 1e-11 * std::abs(value));
  }
  const Extent logarithmic = extent_of(Scale::logarithmic, {8, 8});
  EXPECT_DOUBLE_EQ(logarithmic.low * logarithmic.high, 64);
}

TEST(Extent, HasADefaultWithoutNumbers) {
  EXPECT_EQ(extent_of(Scale::linear, {}).high, 1);
  EXPECT_EQ(extent_of(Scale::logarithmic, {-1, 0}).high, 10);
}

TEST(Extent, LeavesNoRoomAroundAField) {
  Needed needed(Scale::linear);
  needed.add(0.5);
  needed.ask_for_room();
  needed.add_filled(0, 1);
  EXPECT_EQ(needed.extent({}).low, 0);
  EXPECT_EQ(needed.extent({}).high, 1);
}

TEST(Extent, IsTheAxissOwnWhereItHasOne) {
  Needed needed(Scale::linear);
  needed.add(100);
  EXPECT_EQ(needed.extent({.range = {{2, 3}}}).high, 3);
}

TEST(Mapping, IsStraightOnItsScale) {
  const Mapping linear({0, 10}, Scale::linear, 100, 200), logarithmic({1, 100}, Scale::logarithmic, 300, 100);
  EXPECT_DOUBLE_EQ(linear(5), 150);
  EXPECT_DOUBLE_EQ(linear(-1), 90);
  EXPECT_DOUBLE_EQ(logarithmic(10), 200);
  EXPECT_FALSE(logarithmic.has(0));
  EXPECT_FALSE(logarithmic.has(-1));
  EXPECT_FALSE(linear.has(NAN));
  EXPECT_TRUE(linear.has(11));
  EXPECT_FALSE(linear.shows(11));
  EXPECT_TRUE(linear.shows(10));
}

TEST(Mapping, StaysFiniteFarOutside) {
  const Mapping mapping({0, 1e-300}, Scale::linear, 0, 100);
  EXPECT_TRUE(std::isfinite(mapping(1e300)));
  EXPECT_GT(mapping(1e300), 100);
  EXPECT_LT(mapping(-1e300), 0);
}

}  // namespace
}  // namespace pair::plot::scale_test

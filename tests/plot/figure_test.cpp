#include "pair/plot/figure.h"

#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>

#include "pair/plot/csv.h"
#include "pair/plot/svg.h"

namespace pair::plot::figure_test {
namespace {

using ::testing::HasSubstr;

std::string refusal(const Figure& figure) {
  std::string sentence;
  try {
    to_svg(figure);
  } catch (const std::invalid_argument& error) {
    sentence = error.what();
  }
  EXPECT_THROW(to_csv(figure), std::invalid_argument);
  return sentence;
}

TEST(Figure, RefusesWhatMakesNoSense) {
  const auto chart = [](Chart one) { return Figure{.panels = {Chart{}, std::move(one)}}; };
  EXPECT_THAT(refusal(chart({.marks = {Line{.x = {1, 2}, .y = {1}}}})),
              HasSubstr("panel 2: y has 1 numbers and x has 2"));
  EXPECT_THAT(refusal(chart({.marks = {Band{.x = {1}, .low = {1}}}})), HasSubstr("high has 0 numbers"));
  EXPECT_THAT(refusal(chart({.x = {.range = {{2, 1}}}})), HasSubstr("the range of x is 2 to 1"));
  EXPECT_THAT(refusal(chart({.y = {.range = {{0, NAN}}}})), HasSubstr("the range of y is 0 to nan"));
  EXPECT_THAT(refusal(chart({.y = {.scale = Scale::logarithmic, .range = {{0, 1}}}})),
              HasSubstr("above 0 on a logarithmic scale"));
  EXPECT_THAT(refusal(chart({.marks = {HeatMap{.field = {2, 2, {1, 2, 3}, 0, 1, 0, 1}}}})),
              HasSubstr("a field of 2 columns and 2 rows has 3 values"));
  EXPECT_THAT(refusal(chart({.marks = {Contours{.field = {1, 1, {1}, 1, 1, 0, 1}}}})),
              HasSubstr("the field's x is 1 to 1"));
  EXPECT_THAT(refusal(chart({.x = {.scale = Scale::logarithmic}, .equal_units = true})),
              HasSubstr("equal_units"));
  EXPECT_THAT(refusal({.panels = {Radar{.spokes = {"a", "b"}}}}), HasSubstr("spokes has 2 names"));
  EXPECT_THAT(refusal({.panels = {Radar{.spokes = {"a", "b", "c"}, .most = 0}}}), HasSubstr("most is 0"));
  EXPECT_THAT(refusal({.panels = {Radar{.spokes = {"a", "b", "c"}, .series = {{"s", {1}}}}}}),
              HasSubstr("values has 1 numbers and spokes has 3"));
  EXPECT_THAT(refusal({.panel_width = 10}), HasSubstr("panel_width is 10; accepted are 160 to 4000 px"));
  EXPECT_THAT(refusal({.panel_height = NAN}), HasSubstr("panel_height is nan"));
  EXPECT_THAT(refusal({.columns = 0}), HasSubstr("columns is 0"));
}

TEST(Figure, TellsThingsApartWithoutColoursToo) {
  for (std::size_t i = 1; i < 8; ++i) {
    EXPECT_NE(shape(i), shape(i - 1));
    EXPECT_NE(dash(i), dash(i - 1));
  }
}

}  // namespace
}  // namespace pair::plot::figure_test

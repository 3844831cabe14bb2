#include "pair/plot/figure.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/plot/csv.h"
#include "pair/plot/style_sheet.h"
#include "pair/plot/svg.h"
#include "pair/plot/svg_writer.h"

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
              HasSubstr("panel 2: y and x: expected the same length, got 1 and 2"));
  EXPECT_THAT(refusal(chart({.marks = {Band{.x = {1}, .low = {1}}}})),
              HasSubstr("high and x: expected the same length, got 0 and 1"));
  EXPECT_THAT(refusal(chart({.x = {.range = {{2, 1}}}})), HasSubstr("1e300 in magnitude, got 2 to 1"));
  EXPECT_THAT(refusal(chart({.y = {.range = {{0, NAN}}}})),
              HasSubstr("the range of y: expected two increasing numbers"));
  EXPECT_THAT(refusal(chart({.y = {.scale = Scale::logarithmic, .range = {{0, 1}}}})),
              HasSubstr("above 0 on a logarithmic scale"));
  EXPECT_THAT(refusal(chart({.marks = {HeatMap{.field = {2, 2, {1, 2, 3}, 0, 1, 0, 1}}}})),
              HasSubstr("field: expected columns x rows = 2 x 2 values, got 3"));
  EXPECT_THAT(refusal(chart({.marks = {Contours{.field = {1, 1, {1}, 1, 1, 0, 1}}}})),
              HasSubstr("the field's x: expected two increasing numbers"));
  EXPECT_THAT(refusal(chart({.x = {.scale = Scale::logarithmic}, .equal_units = true})),
              HasSubstr("equal_units"));
  EXPECT_THAT(refusal({.panels = {Radar{.spokes = {"a", "b"}}}}),
              HasSubstr("spokes: expected 3 or more names, got 2"));
  EXPECT_THAT(refusal({.panels = {Radar{.spokes = {"a", "b", "c"}, .most = 0}}}),
              HasSubstr("most: expected a number above 0, up to 1e300, got 0"));
  EXPECT_THAT(refusal({.panels = {Radar{.spokes = {"a", "b", "c"}, .series = {{"s", {1}}}}}}),
              HasSubstr("values and spokes: expected the same length, got 1 and 3"));
  EXPECT_THAT(refusal({.panel_width = 10}), HasSubstr("panel_width: expected 160 to 4000 px, got 10"));
  EXPECT_THAT(refusal({.panel_height = NAN}), HasSubstr("panel_height: expected 120 to 4000 px, got nan"));
  EXPECT_THAT(refusal({.columns = 0}), HasSubstr("columns: expected an integer of at least 1, got 0"));
}

TEST(Figure, TellsThingsApartWithoutColoursToo) {
  std::set<Shape> shapes;
  std::set<Dash> dashes;
  std::set<std::string> drawn;
  std::set<std::vector<int>> lengths;
  for (std::size_t i = 0; i < 8; ++i) {
    shapes.insert(shape(i));
    dashes.insert(dash(i));
    drawn.insert(std::string(dash_class(dash(i))));
    lengths.insert(lengths_of(dash(i)));
  }
  EXPECT_EQ(shapes.size(), 8);
  EXPECT_EQ(dashes.size(), 8);
  EXPECT_EQ(drawn.size(), 8);
  EXPECT_EQ(lengths.size(), 8);
  const std::string style = style_sheet(Theme::light);
  drawn.erase("");
  for (const std::string& name : drawn) {
    EXPECT_THAT(style, HasSubstr("." + name.substr(1) + "{stroke-dasharray:"));
  }
  EXPECT_THAT(style, HasSubstr(".d4{stroke-dasharray:12 4}"));
}

}  // namespace
}  // namespace pair::plot::figure_test

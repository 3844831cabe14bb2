#include "pair/plot/svg.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "pair/plot/svg_writer.h"
#include "tests/plot/samples.h"
#include "tests/plot/xml.h"

namespace pair::plot::test::svg_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

Figure of(Chart chart) {
  return {.title = "t", .panels = {std::move(chart)}};
}

// The path data of the elements that carry this class.
std::vector<std::string> paths(const Xml& xml, const std::string& classes) {
  std::vector<std::string> found;
  for (const Element& path : xml.named("path")) {
    if (path.attributes.contains("class") && path.attributes.at("class") == classes) {
      found.push_back(path.attributes.at("d"));
    }
  }
  return found;
}

std::size_t count(const std::string& text, char c) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), c));
}

TEST(Svg, IsWellFormedInEveryThemeAndStandsAlone) {
  for (const auto& [name, figure] : samples()) {
    for (const Theme theme : {Theme::automatic, Theme::light, Theme::dark}) {
      const std::string svg = to_svg(figure, {.theme = theme});
      const Xml xml = parse_xml(svg);
      EXPECT_THAT(xml.error, IsEmpty()) << name;
      EXPECT_THAT(xml.named("script"), IsEmpty());
      EXPECT_THAT(svg, AllOf(Not(HasSubstr("url(")), Not(HasSubstr("@import")), Not(HasSubstr("@font-face")),
                             Not(HasSubstr(" id="))))
          << name;
      for (const Element& image : xml.named("image")) {
        EXPECT_THAT(image.attributes.at("href"), StartsWith("data:image/png;base64,"));
      }
      EXPECT_THAT(svg, AllOf(Not(HasSubstr("\"nan")), Not(HasSubstr("inf ")), Not(HasSubstr("-nan"))))
          << name;
    }
  }
}

TEST(Svg, GivesTheSameBytesForTheSameFigure) {
  const auto once = samples(), again = samples();
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(to_svg(once[i].second), to_svg(again[i].second));
  }
}

TEST(Svg, HasASizeATitleAndADescription) {
  const Xml xml =
      parse_xml(to_svg({.title = "Losses",
                        .panels = {Chart{.title = "A run",
                                         .x = {.label = "step"},
                                         .y = {.label = "loss", .scale = Scale::logarithmic},
                                         .marks = {Line{.name = "ERM", .x = {1, 2}, .y = {1, 2}}}}},
                        .panel_width = 400,
                        .panel_height = 300}));
  const Element root = xml.elements.front();
  EXPECT_EQ(root.attributes.at("viewBox"),
            "0 0 " + root.attributes.at("width") + " " + root.attributes.at("height"));
  EXPECT_EQ(root.attributes.at("width"), "420");
  EXPECT_EQ(xml.elements[1].name, "title");
  EXPECT_EQ(xml.elements[1].text, "Losses");
  EXPECT_EQ(xml.elements[2].name, "desc");
  EXPECT_EQ(xml.elements[2].text, "A run: loss (logarithmic) over step; ERM.");
  EXPECT_THAT(xml.texts("text"),
              AllOf(Contains("Losses"), Contains("A run"), Contains("step"), Contains("ERM")));
}

TEST(Svg, FollowsTheViewerUnlessItsThemeIsFixed) {
  const Figure figure = of({.marks = {Line{.x = {0, 1}, .y = {0, 1}}}});
  const std::string automatic = to_svg(figure), light = to_svg(figure, {.theme = Theme::light}),
                    dark = to_svg(figure, {.theme = Theme::dark});
  EXPECT_THAT(automatic, AllOf(HasSubstr("@media (prefers-color-scheme:dark)"),
                               HasSubstr(".bg{fill:" + hex(background(Theme::light)) + ";fill:var(--bg)}"),
                               HasSubstr("--bg:" + hex(background(Theme::dark)))));
  EXPECT_THAT(light, AllOf(Not(HasSubstr("@media")), Not(HasSubstr("var(")),
                           HasSubstr(".bg{fill:" + hex(background(Theme::light)) + "}")));
  EXPECT_THAT(dark,
              AllOf(Not(HasSubstr("@media")), HasSubstr(".bg{fill:" + hex(background(Theme::dark)) + "}")));
  EXPECT_THAT(to_svg(figure, {.background = false}), Not(HasSubstr("class=\"bg\"")));
}

TEST(Svg, ShowsHostileNamesAsText) {
  using namespace std::string_literals;  // a literal with a NUL inside keeps its length
  const std::vector<std::string> names = {
      "</text><script>alert(1)</script>", "a & b &amp; \"c\" 'd'", "]]> <!-- --> <![CDATA[",
      "🙂 emoji 日本語", "nul\0 bell\a escape\x1b[31m"s, "broken \xff\xc0\x80\xed\xa0\x80 \xf0\x9f",
      // NOLINTNEXTLINE(misc-misleading-bidirectional): such a character is tested
      "line\nend\tand \xe2\x80\xae turned"};
  for (const std::string& name : names) {
    Chart chart{.title = name, .x = {.label = name, .unit = name}, .y = {.label = name}};
    chart.x.ticks = {{0, name}, {1, name}};
    chart.marks = {
        Line{.name = name, .x = {0, 1}, .y = {0, 1}},
        Points{.name = name, .x = {0, 1}, .y = {0, 1}},
        Span{name, 0, 1},
        Label{name, 0.5, 0.5, name},
        HeatMap{.label = name, .field = sample(3, 3, 0, 1, 0, 1, [](double x, double) { return x; })},
        rectangle(name, 0, 1, 0, 1)};
    const Radar radar{.title = name, .spokes = {name, name, name}, .series = {{name, {1, 2, 3}}}};
    const Xml xml = parse_xml(
        to_svg({.title = name, .description = name, .panels = {chart, radar}, .panel_width = 2000}));
    EXPECT_THAT(xml.error, IsEmpty()) << name;
    EXPECT_THAT(xml.named("script"), IsEmpty());
  }
  EXPECT_EQ(parse_xml(to_svg({.title = names[1]})).elements[1].text, names[1]);
  EXPECT_EQ(parse_xml(to_svg({.title = names[3]})).elements[1].text, names[3]);
}

TEST(Svg, LeavesALineOpenWhereAValueIsMissing) {
  const Chart chart{.marks = {Line{.x = {0, 1, 2, 3, 4, 5}, .y = {1, 2, nan, 2, inf, 7}}}};
  const Xml xml = parse_xml(to_svg(of(chart)));
  const std::vector<std::string> lines = paths(xml, "s0 line");
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(count(lines[0], 'M'), 1U);  // 0 to 1; 3 and 5 are single points
  EXPECT_EQ(count(lines[0], 'L'), 1U);
  EXPECT_THAT(paths(xml, "f0"), SizeIs(2));
}

TEST(Svg, LeavesNonPositiveValuesOffALogarithmicAxis) {
  const Chart chart{.y = {.scale = Scale::logarithmic},
                    .marks = {Points{.x = {0, 1, 2, 3}, .y = {-1, 0, 1e-3, 10}}}};
  const Xml xml = parse_xml(to_svg(of(chart)));
  EXPECT_THAT(xml.error, IsEmpty());
  std::size_t shapes = 0;
  for (const Element& path : xml.named("path")) {
    shapes += path.attributes.at("d").find('a') != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(shapes, 2U);
}

TEST(Svg, DrawsAnyNumbers) {
  const std::vector<double> hard = {0,      -0.0,   1,      -1,    nan,    inf,  -inf,     1e308,
                                    -1e308, 1e-308, 5e-324, 1e300, 1e-300, 1e17, 1e17 + 16};
  for (const double a : hard) {
    for (const double b : hard) {
      for (const Scale scale : {Scale::linear, Scale::logarithmic}) {
        HeatMap map{.field = sample(2, 2, 0, 1, 0, 1, [&](double x, double) { return x < 0.5 ? a : b; }),
                    .logarithmic = scale == Scale::logarithmic,
                    .values = true};
        Chart chart{.x = {.scale = scale}, .y = {.scale = scale}};
        chart.marks = {Line{.name = "l", .x = {a, b, 0.5}, .y = {b, a, 0.5}, .shape = Shape::circle},
                       Band{.x = {a, b}, .low = {a, b}, .high = {b, a}},
                       Region{.corners = {{a, b}, {b, a}, {a, a}}}, Span{"s", a, b}, Label{"p", a, b}};
        Chart field{.x = {.scale = scale},
                    .marks = {map, Contours{.field = map.field, .levels = {a, b}, .labels = true}}};
        const Radar radar{.spokes = {"a", "b", "c"}, .series = {{"r", {a, b, 1}}}};
        const std::string svg = to_svg({.panels = {chart, field, radar}});
        EXPECT_THAT(parse_xml(svg).error, IsEmpty()) << a << ' ' << b;
        EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan ")), Not(HasSubstr("\"nan")), Not(HasSubstr("e+"))))
            << a << ' ' << b;
      }
    }
  }
}

TEST(Svg, SaysWhereThereIsNoData) {
  for (const Chart& chart :
       {Chart{}, Chart{.marks = {Line{.name = "all missing", .x = {nan, 1}, .y = {1, nan}}}},
        Chart{.y = {.scale = Scale::logarithmic}, .marks = {Points{.x = {1}, .y = {-1}}}}}) {
    const Xml xml = parse_xml(to_svg(of(chart)));
    EXPECT_THAT(xml.error, IsEmpty());
    EXPECT_THAT(xml.texts("text"), Contains("no data"));
  }
  EXPECT_THAT(parse_xml(to_svg({})).error, IsEmpty());
}

TEST(Svg, ShowsOnePointAndConstantData) {
  for (const double value : {0.0, 0.5, -3e7, 1e-9}) {
    const Xml one = parse_xml(to_svg(of({.marks = {Points{.x = {value}, .y = {value}}}})));
    EXPECT_THAT(paths(one, "s8 line"), SizeIs(1));
    EXPECT_THAT(one.texts("text"), Not(Contains("no data")));
    const Xml flat = parse_xml(to_svg(of({.marks = {Line{.x = {0, 1, 2}, .y = {value, value, value}}}})));
    ASSERT_THAT(paths(flat, "s0 line"), SizeIs(1));
    std::istringstream data(paths(flat, "s0 line")[0].substr(1));
    double x = 0, y = 0;
    data >> x >> y;
    EXPECT_NEAR(y, 160, 40) << "a constant belongs in the middle";
  }
}

TEST(Svg, CutsWhatLiesOutsideTheRange) {
  const Chart chart{
      .x = {.range = {{0, 1}}},
      .y = {.range = {{0, 1}}},
      .marks = {Line{.x = {-1e9, 1e9}, .y = {-1e9, 1e9}}, Points{.x = {0.5, 2}, .y = {0.5, 2}}}};
  const Xml xml = parse_xml(to_svg(of(chart)));
  const std::vector<std::string> lines = paths(xml, "s0 line");
  ASSERT_THAT(lines, SizeIs(1));
  std::istringstream data(lines[0].substr(1));
  double x = 0, y = 0;
  char to = 0;
  data >> x >> y >> to >> x >> y;
  EXPECT_LT(x, 400);
  EXPECT_GT(y, 0);
}

TEST(Svg, KeepsALargeHeatMapSmall) {
  Chart chart;
  chart.marks = {
      HeatMap{.field = sample(200, 200, -4, 4, -4, 4, [](double x, double y) { return std::sin(x) * y; })}};
  const std::string svg = to_svg(of(chart));
  EXPECT_LT(svg.size(), 60'000U);
  EXPECT_THAT(parse_xml(svg).named("image"), SizeIs(2));  // the map and its bar
  std::get<HeatMap>(chart.marks[0]).bar = false;
  EXPECT_THAT(parse_xml(to_svg(of(chart))).named("image"), SizeIs(1));
}

TEST(Svg, KeepsALongLineSmall) {
  Line line;
  for (int i = 0; i < 100'000; ++i) {
    line.x.push_back(i);
    line.y.push_back(std::sin(i));
  }
  EXPECT_LT(to_svg(of({.marks = {line}})).size(), 60'000U);
}

TEST(Svg, DrawsAHeatMapsCellsWithTheirValues) {
  HeatMap map{.field = {2, 2, {1, 2.5, nan, 4}, 0, 1, 0, 1}, .values = true};
  const Xml xml = parse_xml(to_svg(of({.marks = {map}})));
  std::size_t cells = 0;
  for (const Element& path : xml.named("path")) {
    cells += path.attributes.contains("shape-rendering") ? 1 : 0;
  }
  EXPECT_EQ(cells, 3U);
  EXPECT_THAT(xml.texts("text"), AllOf(Contains("1.00"), Contains("2.50"), Contains("4.00"), Contains("–")));
  map.field.values = {1, 20, nan, 37};  // counts
  EXPECT_THAT(parse_xml(to_svg(of({.marks = {map}}))).texts("text"),
              AllOf(Contains("37"), Not(Contains("37.0"))));
}

TEST(Svg, DrawsALegendThatPanelsShareOnce) {
  const Chart chart{.marks = {Line{.name = "ERM", .x = {0, 1}, .y = {0, 1}}}};
  Chart other = chart;
  const auto times = [](const Figure& figure) {
    const std::vector<std::string> texts = parse_xml(to_svg(figure)).texts("text");
    return std::count(texts.begin(), texts.end(), "ERM");
  };
  EXPECT_EQ(times({.panels = {chart, chart, chart}}), 1);
  std::get<Line>(other.marks[0]).color = Color::green;
  EXPECT_EQ(times({.panels = {chart, other}}), 2);
}

// The marker is 7 px wide, in the middle of the line.
TEST(Svg, ShowsTheGapsOfEveryDashBesideTheMarkerInTheLegend) {
  for (std::size_t i = 1; i < 8; ++i) {
    const Chart chart{
        .marks = {Line{.name = "ERM", .x = {0, 1}, .y = {0, 1}, .dash = dash(i), .shape = Shape::circle}}};
    const std::vector<std::string> lines =
        paths(parse_xml(to_svg(of(chart))), "s0 line" + std::string(dash_class(dash(i))));
    ASSERT_THAT(lines, SizeIs(2));  // the legend's is the last
    std::istringstream data(lines[1].substr(1));
    double from = 0, y = 0, to = 0;
    char l = 0;
    data >> from >> y >> l >> to;
    const double width = to - from;
    double seen = 0.0, at = 0.0;
    const std::vector<int> lengths = lengths_of(dash(i));
    for (std::size_t part = 0; at < width; ++part) {
      const double end = std::min(at + lengths[part % lengths.size()], width);
      const double hidden = std::max(0.0, std::min(end, width / 2 + 3.5) - std::max(at, width / 2 - 3.5));
      seen += part % 2 == 1 ? end - at - hidden : 0.0;
      at = end;
    }
    EXPECT_GE(seen, 3.0) << "dash " << i;
  }
}

TEST(Svg, LinesUpThePlotAreasOfARow) {
  const auto chart = [](double scale) {
    return Chart{.title = scale > 1 ? "with a title" : "",
                 .marks = {Line{.x = {0, 1}, .y = {0, 12345 * scale}}}};
  };
  Chart spans = chart(0.001);
  spans.marks.emplace_back(Span{"phase", 0, 0.5});
  const Xml xml = parse_xml(to_svg({.panels = {chart(7), spans}}));
  const std::vector<std::string> lines = paths(xml, "s0 line");
  ASSERT_THAT(lines, SizeIs(2));
  std::vector<std::array<double, 4>> ends;
  for (const std::string& line : lines) {
    std::istringstream data(line.substr(1));
    char to = 0;
    ends.push_back({});
    data >> ends.back()[0] >> ends.back()[1] >> to >> ends.back()[2] >> ends.back()[3];
  }
  EXPECT_NEAR(ends[0][1], ends[1][1], 0.02);
  EXPECT_NEAR(ends[0][3], ends[1][3], 0.02);
  EXPECT_NEAR(ends[0][2] - ends[0][0], ends[1][2] - ends[1][0], 0.02);
}

TEST(Svg, MakesUnitsEqualWhereAsked) {
  const Chart chart{.x = {.range = {{0, 2}}},
                    .y = {.range = {{0, 1}}},
                    .marks = {Line{.x = {0, 1}, .y = {0, 1}}},
                    .equal_units = true};
  std::istringstream data(paths(parse_xml(to_svg(of(chart))), "s0 line").at(0).substr(1));
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  char to = 0;
  data >> x0 >> y0 >> to >> x1 >> y1;
  EXPECT_NEAR(x1 - x0, y0 - y1, 0.03);
}

TEST(Svg, LeavesARadarsOutlineOpenWhereAValueIsMissing) {
  const Radar radar{.spokes = {"a", "b", "c", "d"},
                    .series = {{"whole", {1, 2, 3, 4}}, {"gap", {1, nan, 3, 4}, Color::green}}};
  const Xml xml = parse_xml(to_svg({.panels = {radar}}));
  const std::vector<std::string> whole = paths(xml, "s0 line"), gap = paths(xml, "s2 line");
  ASSERT_FALSE(whole.empty() || gap.empty());
  EXPECT_EQ(count(whole[0], 'L'), 4U);
  EXPECT_EQ(count(gap[0], 'L'), 2U);
  EXPECT_THAT(xml.texts("text"), Contains("4"));
}

}  // namespace
}  // namespace pair::plot::test::svg_test

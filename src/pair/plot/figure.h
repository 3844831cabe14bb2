#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pair/plot/color.h"
#include "pair/plot/field.h"
#include "pair/plot/ticks.h"

// A figure as plain data: its content, not how it is drawn. svg.h, png.h and csv.h turn it into files.
//
//   Figure figure{.title = "Losses", .panels = {Chart{.x = {.label = "step"},
//                                                     .y = {.label = "loss", .scale = Scale::logarithmic},
//                                                     .marks = {Line{"ERM", steps, losses}}}}};
//
// Numbers may have any value: those that are not finite, or not positive on a logarithmic axis, are left out,
// and a line has a gap there. Texts may hold any bytes (see text.h). A mark without a name is not in the
// legend. Inconsistent data, such as x and y of different lengths, throws std::invalid_argument from any
// function that reads the figure.

namespace pair::plot {

enum class Scale : std::uint8_t { linear, logarithmic };

struct Axis {
  std::string label = {};
  std::string unit = {};  // shown in parentheses after the label
  Scale scale = Scale::linear;
  // From low to high, low < high. Default: the range of the marks.
  std::optional<std::pair<double, double>> range = {};
  // Positions of the ticks. Default: round numbers. Names in place of numbers: {{0, "ERM"}, {1, "PAIR"}}.
  std::vector<Tick> ticks = {};
};

enum class Dash : std::uint8_t {
  solid,
  dashed,
  dotted,
  dash_dotted,
  long_dashed,
  double_dotted,  // a dash and two dots
  sparse_dotted,
  long_short  // a long dash and a short one
};
enum class Shape : std::uint8_t { circle, square, triangle, diamond, cross, plus, star, triangle_down };

// The shape or dash of item i, from 0, so that items also differ without colours. Item 8 has those of item 0.
inline constexpr std::size_t shape_count = 8;
inline constexpr std::size_t dash_count = 8;
Shape shape(std::size_t i);
Dash dash(std::size_t i);
// The lengths of a dash's strokes and gaps in turn, in pixels; empty for a solid line.
std::vector<int> lengths_of(Dash dash);

struct Line {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> y = {};
  Color color = Color::blue;
  Dash dash = Dash::solid;
  double width = 1.8;               // px
  std::optional<Shape> shape = {};  // if set, drawn at every point
};

struct Points {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> y = {};
  Color color = Color::blue;
  Shape shape = Shape::circle;
  double size = 7;  // px across
  bool hollow = false;
};

// The area between two curves, such as a spread over seeds.
struct Band {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> low = {};
  std::vector<double> high = {};
  Color color = Color::blue;
};

// Up to 1,600 cells are drawn as rectangles; more, as one embedded image of 255 colours.
struct HeatMap {
  std::string label = {};  // label of the colour bar
  Field field = {};
  ColorScale scale = ColorScale::viridis;
  std::optional<std::pair<double, double>> range =
      {};                    // range of the bar; default: from the smallest to the largest value
  bool bar = true;           // false if another panel's bar shows the same colours
  bool logarithmic = false;  // the colour is linear in the logarithm of the value
  bool values = false;       // also write the value into each cell, if it fits
};

struct Contours {
  std::string name = {};
  Field field = {};
  std::vector<double> levels = {};
  Color color = Color::muted;
  Dash dash = Dash::solid;
  double width = 1.0;   // px
  bool labels = false;  // write the level on the longest line of each level
};

// A filled polygon with an outline; rectangle() makes a rectangular one.
struct Region {
  std::string name = {};
  std::vector<Point> corners = {};
  Color color = Color::blue;
  double opacity = 0.15;  // of the fill, 0 to 1
  Dash dash = Dash::solid;
};
Region rectangle(std::string name, double x_low, double x_high, double y_low, double y_high,
                 Color color = Color::blue);

// An interval of the x axis, drawn over the full height with its label on top, such as a phase of training.
struct Span {
  std::string label = {};
  double low = 0.0;
  double high = 0.0;
  Color color = Color::muted;
  double opacity = 0.08;  // 0 to 1; 0 draws only the two boundaries
};

// Text next to a point, on the side where it covers the least.
struct Label {
  std::string text = {};
  double x = 0.0;
  double y = 0.0;
  std::string subscript = {};
  Color color = Color::ink;
};

// Drawn in the order given, each above the previous ones; labels are above all other marks.
using Mark = std::variant<Line, Points, Band, HeatMap, Contours, Region, Span, Label>;

struct Chart {
  std::string title = {};
  Axis x = {};
  Axis y = {};
  std::vector<Mark> marks = {};  // if several have a colour bar, only the first bar is drawn
  bool equal_units = false;      // one unit has the same length on x and y
};

struct RadarSeries {
  std::string name = {};
  std::vector<double> values = {};  // one per spoke; a value that is not finite leaves a gap in the outline
  Color color = Color::blue;
  Dash dash = Dash::solid;
};

// Values on spokes from a common centre (0) to the rim (`most`).
struct Radar {
  std::string title = {};
  std::vector<std::string> spokes = {};  // three or more
  std::vector<RadarSeries> series = {};
  std::optional<double> most =
      {};  // value at the rim, above 0; default: a round number above the largest value
};

using Panel = std::variant<Chart, Radar>;

struct Figure {
  std::string title = {};
  std::string description = {};  // for screen readers; default: generated from titles, axes and names
  std::vector<Panel> panels = {};
  std::size_t columns = 3;    // maximum number of panels side by side
  double panel_width = 380;   // px, axis labels included; 160 to 4000
  double panel_height = 320;  // px, axis labels and legend included; 120 to 4000
};

// Throws std::invalid_argument that names the panel, the field, and the expected and actual values.
void validate(const Figure& figure);

}  // namespace pair::plot

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

// A figure as plain data: what is to be seen, not how it is drawn. svg.h, png.h and csv.h turn it into files.
//
//   Figure figure{.title = "Losses", .panels = {Chart{.x = {.label = "step"},
//                                                     .y = {.label = "loss", .scale = Scale::logarithmic},
//                                                     .marks = {Line{"ERM", steps, losses}}}}};
//
// Anything may be in the numbers: what is not finite, or not positive on a logarithmic axis, is left out, and
// a line has a gap there. Anything may be in the texts (see text.h). A mark with an empty name has no place
// in the legend. What makes no sense, such as x and y of different lengths, throws std::invalid_argument from
// whatever reads the figure.

namespace pair::plot {

enum class Scale : std::uint8_t { linear, logarithmic };

struct Axis {
  std::string label = {};
  std::string unit = {};  // shown in parentheses after the label
  Scale scale = Scale::linear;
  // From low to high, low < high; by itself, what the marks need.
  std::optional<std::pair<double, double>> range = {};
  // Where the ticks are; by itself, at round numbers. For names in place of numbers: {{0, "ERM"}, {1,
  // "PAIR"}}.
  std::vector<Tick> ticks = {};
};

enum class Dash : std::uint8_t { solid, dashed, dotted, dash_dotted };
enum class Shape : std::uint8_t { circle, square, triangle, diamond, cross, plus, star, triangle_down };

// The shape or dash of the i-th of several things, from 0, so that they differ without colours too.
Shape shape(std::size_t i);
Dash dash(std::size_t i);

struct Line {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> y = {};
  Color color = Color::blue;
  Dash dash = Dash::solid;
  double width = 1.8;               // px
  std::optional<Shape> shape = {};  // also at every point
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

// What lies between two curves, such as a spread over seeds.
struct Band {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> low = {};
  std::vector<double> high = {};
  Color color = Color::blue;
};

// Up to 1,600 cells are rectangles; more become one image of 255 colours, written into the file.
struct HeatMap {
  std::string label = {};  // of the bar, which shows which colour is which number
  Field field = {};
  ColorScale scale = ColorScale::viridis;
  std::optional<std::pair<double, double>> range =
      {};                    // of the bar; by itself, the least to the largest value
  bool bar = true;           // false where another panel's shows the same colours
  bool logarithmic = false;  // the colours go with the logarithm of the values
  bool values = false;       // also as text in every cell, where there is room
};

struct Contours {
  std::string name = {};
  Field field = {};
  std::vector<double> levels = {};
  Color color = Color::muted;
  Dash dash = Dash::solid;
  double width = 1.0;   // px
  bool labels = false;  // the level, on the longest line of each
};

// A filled polygon with an outline; rectangle() makes one of the commonest kind.
struct Region {
  std::string name = {};
  std::vector<Point> corners = {};
  Color color = Color::blue;
  double opacity = 0.15;  // of the filling, 0 to 1
  Dash dash = Dash::solid;
};
Region rectangle(std::string name, double x_low, double x_high, double y_low, double y_high,
                 Color color = Color::blue);

// A stretch of the x axis over the whole height with its label on top, such as a phase of training.
struct Span {
  std::string label = {};
  double low = 0.0;
  double high = 0.0;
  Color color = Color::muted;
  double opacity = 0.08;  // 0 to 1; 0 leaves the two boundaries
};

// Text beside a point, on the side where it covers least.
struct Label {
  std::string text = {};
  double x = 0.0;
  double y = 0.0;
  std::string subscript = {};
  Color color = Color::ink;
};

// In the order given, each above the ones before, but labels above all.
using Mark = std::variant<Line, Points, Band, HeatMap, Contours, Region, Span, Label>;

struct Chart {
  std::string title = {};
  Axis x = {};
  Axis y = {};
  std::vector<Mark> marks = {};  // of several bars, the first is drawn
  bool equal_units = false;      // a unit is as long on x as on y
};

struct RadarSeries {
  std::string name = {};
  std::vector<double> values = {};  // one a spoke; what is not finite leaves the outline open there
  Color color = Color::blue;
  Dash dash = Dash::solid;
};

// Values on spokes from a common centre, 0 to `most`.
struct Radar {
  std::string title = {};
  std::vector<std::string> spokes = {};  // three or more
  std::vector<RadarSeries> series = {};
  std::optional<double> most = {};  // at the rim, above 0; by itself, a round number above the largest value
};

using Panel = std::variant<Chart, Radar>;

struct Figure {
  std::string title = {};
  std::string description = {};  // for those who cannot see it; by itself, the names of what is shown
  std::vector<Panel> panels = {};
  std::size_t columns = 3;    // panels side by side, at most
  double panel_width = 380;   // px, axis labels included; 160 to 4000
  double panel_height = 320;  // px, axis labels and legend included; 120 to 4000
};

// Throws std::invalid_argument that names the panel, the field, the value and what is accepted.
void validate(const Figure& figure);

}  // namespace pair::plot

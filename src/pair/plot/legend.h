#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pair/plot/svg_writer.h"

// The legend: the colour, dash and shape of each name.

namespace pair::plot {

struct LegendEntry {
  enum class Kind : std::uint8_t { line, points, area };
  std::string name = {};
  Kind kind = Kind::line;
  Color color = Color::blue;
  Dash dash = Dash::solid;
  std::optional<Shape> shape = {};
  bool hollow = false;
  double opacity = 1.0;  // of a filled area

  friend bool operator==(const LegendEntry&, const LegendEntry&) = default;
};

// The named marks of a panel, each name once.
std::vector<LegendEntry> legend_of(const Panel& panel);

// Height of the legend, with entries side by side in rows of this width; 0 if there are no entries.
double legend_height(const std::vector<LegendEntry>& entries, double width);
void draw_legend(SvgWriter& svg, const std::vector<LegendEntry>& entries, Point top_left, double width);

}  // namespace pair::plot

#pragma once

#include "pair/plot/figure.h"
#include "pair/plot/geometry.h"
#include "pair/plot/scale.h"
#include "pair/plot/svg_writer.h"

// A heat map's cells and its bar of colours.

namespace pair::plot {

// The numbers at the ends of the bar.
Extent heat_extent(const HeatMap& map);
Ticks heat_ticks(const HeatMap& map, std::size_t most);

// The map's cells fill `area`; what lies outside `plot` is cut off.
void draw_heat_map(SvgWriter& svg, const HeatMap& map, Theme theme, const Rect& area, const Rect& plot);

// px that the bar needs beside the plot, and the bar itself.
double heat_bar_width(const HeatMap& map, const Ticks& ticks);
void draw_heat_bar(SvgWriter& svg, const HeatMap& map, const Ticks& ticks, Theme theme, const Rect& plot);

// "label (×10⁵ unit)", as much of it as there is.
std::string axis_text(const std::string& label, const std::string& unit, int exponent);

}  // namespace pair::plot

#pragma once

#include "pair/plot/figure.h"
#include "pair/plot/geometry.h"
#include "pair/plot/scale.h"
#include "pair/plot/svg_writer.h"

// The cells and the colour bar of a heat map.

namespace pair::plot {

// The values at the ends of the bar.
Extent heat_extent(const HeatMap& map);
Ticks heat_ticks(const HeatMap& map, std::size_t most);

// The cells fill `area`, clipped to `plot`.
void draw_heat_map(SvgWriter& svg, const HeatMap& map, Theme theme, const Rect& area, const Rect& plot);

// The width of the bar next to the plot in px, and the bar itself.
double heat_bar_width(const HeatMap& map, const Ticks& ticks);
void draw_heat_bar(SvgWriter& svg, const HeatMap& map, const Ticks& ticks, Theme theme, const Rect& plot);

// "label (×10⁵ unit)", without the parts that are missing.
std::string axis_text(const std::string& label, const std::string& unit, int exponent);

}  // namespace pair::plot

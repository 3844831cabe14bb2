#pragma once

#include <cstddef>
#include <string>

#include "pair/plot/figure.h"

// Figures as PNG, rendered by librsvg from the SVG. librsvg is optional.

namespace pair::plot {

// False if the build has no librsvg (PAIR_RSVG=OFF, or not installed).
bool have_png();

struct PngOptions {
  Theme theme = Theme::light;  // automatic means light: pixels cannot follow the viewer's preference
  std::size_t width = 0;       // px, up to 20000; 0: twice the width of the SVG
};

// The figure as the bytes of a PNG file. Throws std::runtime_error if the build has no librsvg or rendering
// fails, and std::invalid_argument for an invalid figure or width.
std::string to_png(const Figure& figure, const PngOptions& options = {});

}  // namespace pair::plot

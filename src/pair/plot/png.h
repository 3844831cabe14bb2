#pragma once

#include <cstddef>
#include <string>

#include "pair/plot/figure.h"

// Figures as pixels, drawn by librsvg from the SVG. A build need not have it.

namespace pair::plot {

// False where the build has no librsvg (PAIR_RSVG=OFF, or not installed).
bool have_png();

struct PngOptions {
  Theme theme = Theme::light;  // automatic is light: pixels cannot follow the viewer
  std::size_t width = 0;       // px, up to 20000; 0: twice the SVG's
};

// The figure as a PNG file. Throws std::runtime_error where the build has no librsvg or the drawing fails,
// and std::invalid_argument for a figure or a width that makes no sense.
std::string to_png(const Figure& figure, const PngOptions& options = {});

}  // namespace pair::plot

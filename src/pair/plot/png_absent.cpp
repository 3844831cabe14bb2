#include <stdexcept>

#include "pair/plot/png.h"

// Stands in for png_rsvg.cpp where the build has no librsvg.

namespace pair::plot {

bool have_png() {
  return false;
}

std::string to_png(const Figure&, const PngOptions&) {
  throw std::runtime_error(
      "this build cannot write PNG, since librsvg was not there when it was built; SVG needs nothing");
}

}  // namespace pair::plot

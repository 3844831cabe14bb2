#include <stdexcept>

#include "pair/plot/png.h"

// Replaces png_rsvg.cpp in builds without librsvg.

namespace pair::plot {

bool have_png() {
  return false;
}

std::string to_png(const Figure&, const PngOptions&) {
  throw std::runtime_error(
      "this build cannot write PNG: it was built without librsvg. SVG files need no library");
}

}  // namespace pair::plot

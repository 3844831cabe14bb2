#pragma once

#include <string>

#include "pair/plot/figure.h"

namespace pair::plot {

struct SvgOptions {
  Theme theme = Theme::automatic;
  bool background = true;  // false: transparent
};

// The figure as a self-contained SVG document: no scripts, fonts or external files, and no ids that could
// clash within a page. Text stays text. The same figure gives the same bytes. Panels are placed in rows with
// aligned plot areas; a legend shared by all panels is drawn once, below.
//
// Throws std::invalid_argument for an invalid figure (figure.h).
std::string to_svg(const Figure& figure, const SvgOptions& options = {});

}  // namespace pair::plot

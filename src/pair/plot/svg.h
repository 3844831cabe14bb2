#pragma once

#include <string>

#include "pair/plot/figure.h"

namespace pair::plot {

struct SvgOptions {
  Theme theme = Theme::automatic;
  bool background = true;  // false: what lies behind the figure shows through
};

// The figure as an SVG document that stands alone: no script, no font, no file beside it, no identifiers that
// could clash where several stand in one page. Text is text. The same figure gives the same bytes. Panels
// stand in rows with their plot areas lined up; a legend that all panels share is drawn once, below.
//
// Throws std::invalid_argument for a figure that makes no sense (figure.h).
std::string to_svg(const Figure& figure, const SvgOptions& options = {});

}  // namespace pair::plot

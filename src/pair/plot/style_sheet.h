#pragma once

#include <string>
#include <string_view>

#include "pair/plot/color.h"

// The CSS classes of drawings, in the colours of a theme.

namespace pair::plot {

// The class of the outermost element. Every rule of the style sheet is scoped to it, so one page can hold
// figures of several themes.
std::string_view root_class(Theme theme);

// The content of a <style> element:
//   f0 to f8, s0 to s8   fill and stroke with a Color
//   bg, grid             the background, thin lines
//   halo, edge           the background colour around letters and points
//   line, d1 to d7       a line without fill; its dashes
//   shade                an image of ColorScale::shade, which is drawn for the light theme
// The automatic theme states each colour twice, as a plain value and as a CSS variable set by the viewer's
// preference. Viewers that do not support variables show the light theme.
std::string style_sheet(Theme theme);

}  // namespace pair::plot

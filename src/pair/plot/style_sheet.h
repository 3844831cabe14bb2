#pragma once

#include <string>
#include <string_view>

#include "pair/plot/color.h"

// The classes that drawings use, in a theme's colours.

namespace pair::plot {

// The class of the outermost element. Every rule of the style sheet is below it, so that figures of several
// themes can stand in one page.
std::string_view root_class(Theme theme);

// The content of a <style> element:
//   f0 to f8, s0 to s8   fill and stroke with a Color
//   bg, grid             the background, thin lines
//   halo, edge           the background's colour around letters and points
//   line, d1 to d3       a line without filling; its dashes
//   shade                an image of ColorScale::shade, which is drawn for the light theme
// The automatic theme has each colour twice, as itself and as a CSS variable that the viewer's preference
// sets, since some viewers know no variables; those see the light theme.
std::string style_sheet(Theme theme);

}  // namespace pair::plot

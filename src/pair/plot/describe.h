#pragma once

#include <string>

#include "pair/plot/figure.h"

namespace pair::plot {

// A textual description of the figure, for screen readers: its own description if it has one; otherwise the
// title, axes and names of the marks of each panel.
std::string describe(const Figure& figure);

}  // namespace pair::plot

#pragma once

#include <string>

#include "pair/plot/figure.h"

namespace pair::plot {

// The figure in words, for those who hear it: its own description, or else panel by panel the title, the axes
// and the names of what is shown.
std::string describe(const Figure& figure);

}  // namespace pair::plot

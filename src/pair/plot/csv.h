#pragma once

#include <string>

#include "pair/plot/figure.h"

namespace pair::plot {

// The figure's numbers as a table (RFC 4180), a line a number or point, with the columns
//   panel  from 1
//   mark   line, points, band, heat_map, contours, region, span, label, radar
//   name   of the mark; of a label, its text; of a radar, the series
//   spoke  of a radar
//   x, y   the point; of a band, y is the lower curve; of a field, the cell's centre as drawn
//   x2, y2 the other end of a span (x2), the upper curve of a band (y2)
//   value  of a cell or on a spoke
// Numbers read back as the same values; NaN leaves a field empty, infinities are inf and -inf.
std::string to_csv(const Figure& figure);

}  // namespace pair::plot

#pragma once

#include <string>

#include "pair/plot/figure.h"

namespace pair::plot {

// The figure's numbers as a table (RFC 4180), one line per number or point, with the columns
//   panel  from 1
//   mark   line, points, band, heat_map, contours, region, span, label, radar
//   name   the mark's name; a label's text; a radar's series
//   spoke  the radar's spoke
//   x, y   the point; for a band, y is the lower curve; for a field, the centre of the cell as drawn
//   x2, y2 the other end of a span (x2), the upper curve of a band (y2)
//   value  the value of a cell or on a spoke
// Numbers are written with enough digits to read back exactly. NaN is an empty field; infinities are inf and
// -inf.
std::string to_csv(const Figure& figure);

}  // namespace pair::plot

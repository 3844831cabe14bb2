#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pair/plot/figure.h"

// Panels that several studies draw.

namespace pair::paper {

struct HeatAxis {
  std::string label;
  std::vector<std::string> names;  // of the columns from left to right, or of the rows from bottom to top
};

// Accuracies in percent, written into the cells, row by row from below. NaN: an empty cell.
plot::Chart heat_panel(std::string title, const HeatAxis& x, const HeatAxis& y, std::vector<double> values,
                       std::pair<double, double> range);

// From the smallest to the largest of the finite numbers, at least one point apart.
std::pair<double, double> range_of(const std::vector<double>& values);

// A line with points, distinguished by colour, dash and shape; the band around it shows the standard
// deviation, unless all deviations are 0.
void add_line(plot::Chart& chart, std::size_t place, std::string name, const std::vector<double>& x,
              const std::vector<double>& mean, const std::vector<double>& deviation, bool points);

}  // namespace pair::paper

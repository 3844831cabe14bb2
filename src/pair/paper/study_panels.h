#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pair/plot/figure.h"

// Panels that several studies draw.

namespace pair::paper {

struct HeatAxis {
  std::string label;
  std::vector<std::string> names;  // of the columns from left to right, or of the rows from below
};

// Accuracies in per cent with their numbers in the cells, row by row from below. NaN: nothing to show.
plot::Chart heat_panel(std::string title, const HeatAxis& x, const HeatAxis& y, std::vector<double> values,
                       std::pair<double, double> range);

// From the least to the largest of the numbers that are any, at least a point apart.
std::pair<double, double> range_of(const std::vector<double>& values);

// A line with its points, which stands apart from others by colour, dash and shape; the band beside it is as
// wide as the deviation, and left out where all deviations are 0.
void add_line(plot::Chart& chart, std::size_t place, std::string name, const std::vector<double>& x,
              const std::vector<double>& mean, const std::vector<double>& deviation, bool points);

}  // namespace pair::paper

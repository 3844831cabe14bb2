#pragma once

#include <cstddef>
#include <vector>

// Numbers over a rectangle, the input of heat maps and contour lines.

namespace pair::plot {

struct Point {
  double x = 0.0;
  double y = 0.0;

  friend bool operator==(const Point&, const Point&) = default;
};

// rows x columns cells of equal size between the edges. A value belongs to the centre of its cell. Row 0 is
// the lowest, so values[row * columns + column] grows with y and x. On a logarithmic axis, the edges are
// plain values, and the cells have equal width as drawn. NaN marks a missing value.
struct Field {
  std::size_t columns = 0;
  std::size_t rows = 0;
  std::vector<double> values = {};
  double x_low = 0.0;
  double x_high = 1.0;
  double y_low = 0.0;
  double y_high = 1.0;

  [[nodiscard]] double at(std::size_t column, std::size_t row) const {
    return values[row * columns + column];
  }
  // The centre of a cell, on linear axes.
  [[nodiscard]] Point centre(std::size_t column, std::size_t row) const;
};

// A field from a function of (x, y), evaluated at every cell's centre.
template <class Function>
Field sample(std::size_t columns, std::size_t rows, double x_low, double x_high, double y_low, double y_high,
             Function&& function) {
  Field field{columns, rows, {}, x_low, x_high, y_low, y_high};
  field.values.reserve(columns * rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const Point point = field.centre(column, row);
      field.values.push_back(function(point.x, point.y));
    }
  }
  return field;
}

// The contour lines of the field at this level, from cell centre to cell centre: marching squares with linear
// interpolation; saddles are resolved by the mean of the four corners. A closed line ends with its first
// point. Squares with a corner that is not finite have no lines. The order is deterministic.
std::vector<std::vector<Point>> contour(const Field& field, double level);

}  // namespace pair::plot

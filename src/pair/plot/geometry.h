#pragma once

#include <span>
#include <vector>

#include "pair/plot/field.h"

// Clips lines and areas to the visible rectangle. Clipping here instead of in the viewer avoids hidden
// points, element ids that could clash within a page, and huge coordinates.

namespace pair::plot {

// px; y grows downwards.
struct Rect {
  double x = 0.0;
  double y = 0.0;
  double width = 0.0;
  double height = 0.0;

  [[nodiscard]] double right() const { return x + width; }
  [[nodiscard]] double bottom() const { return y + height; }
  [[nodiscard]] bool contains(Point point) const;
  [[nodiscard]] double overlap(const Rect& other) const;  // px²
  [[nodiscard]] Rect grown(double by) const { return {x - by, y - by, width + 2 * by, height + 2 * by}; }
};

// The parts of the line inside the rectangle, in order.
std::vector<std::vector<Point>> clip_line(std::span<const Point> line, const Rect& rect);

// The part of the area inside the rectangle (Sutherland and Hodgman, 1974); empty if there is none.
std::vector<Point> clip_area(std::span<const Point> corners, const Rect& rect);

// The line reduced to at most four points per half px of x: the first, last, highest and lowest. It looks the
// same. Lines with few points are returned unchanged.
std::vector<Point> thinned(std::span<const Point> line);

}  // namespace pair::plot

#pragma once

#include <span>
#include <vector>

#include "pair/plot/geometry.h"

// Places text next to points.

namespace pair::plot {

class LabelPlacer {
 public:
  explicit LabelPlacer(const Rect& plot) : plot_(plot) {}

  // Obstacles: a marker's box (high cost) or a line (low cost).
  void avoid(const Rect& box) { boxes_.push_back(box); }
  void avoid_line(std::span<const Point> line);

  // The box of this size next to the point that covers the least. Later labels avoid it.
  Rect place(Point point, double width, double height);
  // The box centred on the point of the line where it covers the least.
  Rect place_on(std::span<const Point> line, double width, double height);

 private:
  [[nodiscard]] double cost(const Rect& box) const;

  Rect plot_;
  std::vector<Rect> boxes_;
  std::vector<Point> line_points_;
  std::vector<Rect> labels_;
};

}  // namespace pair::plot

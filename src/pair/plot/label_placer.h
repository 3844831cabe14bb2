#pragma once

#include <span>
#include <vector>

#include "pair/plot/geometry.h"

// Finds room for text beside points.

namespace pair::plot {

class LabelPlacer {
 public:
  explicit LabelPlacer(const Rect& plot) : plot_(plot) {}

  // What labels should not cover: a marker's box (heavily), a line (lightly).
  void avoid(const Rect& box) { boxes_.push_back(box); }
  void avoid_line(std::span<const Point> line);

  // The box, of this size, beside the point that covers least; later ones keep clear of it.
  Rect place(Point point, double width, double height);
  // The box centred on the point of the line where it covers least.
  Rect place_on(std::span<const Point> line, double width, double height);

 private:
  [[nodiscard]] double cost(const Rect& box) const;

  Rect plot_;
  std::vector<Rect> boxes_;
  std::vector<Point> line_points_;
  std::vector<Rect> labels_;
};

}  // namespace pair::plot

#include "pair/plot/label_placer.h"

#include <array>
#include <cmath>
#include <utility>

namespace pair::plot {

void LabelPlacer::avoid_line(std::span<const Point> line) {
  constexpr double apart = 4;  // px between the sample points of the line
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const double length = std::hypot(line[i + 1].x - line[i].x, line[i + 1].y - line[i].y);
    const auto pieces = static_cast<std::size_t>(std::ceil(length / apart));
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const double share = static_cast<double>(piece) / static_cast<double>(pieces);
      line_points_.push_back(
          {line[i].x + share * (line[i + 1].x - line[i].x), line[i].y + share * (line[i + 1].y - line[i].y)});
    }
  }
}

double LabelPlacer::cost(const Rect& box) const {
  constexpr double over_label = 20, over_marker = 8, outside = 30, over_line_point = 12;  // px² per point
  const double area = box.width * box.height;
  double sum = outside * (area - box.overlap(plot_));
  for (const Rect& label : labels_) {
    sum += over_label * box.overlap(label);
  }
  for (const Rect& marker : boxes_) {
    sum += over_marker * box.overlap(marker);
  }
  for (const Point& point : line_points_) {
    sum += box.contains(point) ? over_line_point : 0.0;
  }
  return sum;
}

Rect LabelPlacer::place(Point point, double width, double height) {
  // Upper right first, the conventional place. Directions are fractions of the box to the left of and above
  // the point.
  constexpr std::array<std::pair<double, double>, 8> sides = {
      {{0, 1}, {1, 1}, {0, 0}, {1, 0}, {0, 0.5}, {1, 0.5}, {0.5, 1}, {0.5, 0}}};
  Rect best{};
  double least = INFINITY;
  for (const double gap : {4.0, 9.0, 15.0}) {
    for (const auto& [left, above] : sides) {
      const double dx = left == 0 ? gap : left == 1 ? -gap : 0, dy = above == 1 ? -gap : above == 0 ? gap : 0;
      const bool beside = above == 0.5, over = left == 0.5;
      const double more = beside || over ? 3.0 : 0.0;
      const Rect box{point.x - left * width + dx +
                         (dx > 0   ? more
                          : dx < 0 ? -more
                                   : 0),
                     point.y - above * height + dy + (over ? (dy > 0 ? more : -more) : 0), width, height};
      const double price = cost(box) + 3 * gap;
      if (price < least) {
        least = price;
        best = box;
      }
    }
  }
  labels_.push_back(best);
  return best;
}

Rect LabelPlacer::place_on(std::span<const Point> line, double width, double height) {
  constexpr std::size_t tries = 40;
  Rect best{};
  double least = INFINITY;
  for (std::size_t i = 0; i < tries; ++i) {
    const Point point = line[(line.size() - 1) * i / (tries - 1)];
    const Rect box{point.x - width / 2, point.y - height / 2, width, height};
    if (const double price = cost(box.grown(2)); price < least) {
      least = price;
      best = box;
    }
  }
  labels_.push_back(best);
  return best;
}

}  // namespace pair::plot

#include "pair/plot/geometry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

namespace pair::plot {
namespace {

// The fractions of the way from a to b at which the line enters and leaves the rectangle (Liang and Barsky,
// 1984). The first is above the second if the line stays outside.
std::pair<double, double> inside(Point a, Point b, const Rect& rect) {
  double enter = 0.0, leave = 1.0;
  const double dx = b.x - a.x, dy = b.y - a.y;
  const std::array<std::pair<double, double>, 4> sides = {
      {{-dx, a.x - rect.x}, {dx, rect.right() - a.x}, {-dy, a.y - rect.y}, {dy, rect.bottom() - a.y}}};
  for (const auto& [towards, room] : sides) {
    if (towards == 0.0) {
      if (room < 0) {
        return {1.0, 0.0};
      }
    } else if (towards < 0) {
      enter = std::max(enter, room / towards);
    } else {
      leave = std::min(leave, room / towards);
    }
  }
  return {enter, leave};
}

Point between(Point a, Point b, double share) {
  return {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

}  // namespace

bool Rect::contains(Point point) const {
  return point.x >= x && point.x <= right() && point.y >= y && point.y <= bottom();
}

double Rect::overlap(const Rect& other) const {
  const double across = std::min(right(), other.right()) - std::max(x, other.x);
  const double down = std::min(bottom(), other.bottom()) - std::max(y, other.y);
  return across > 0 && down > 0 ? across * down : 0.0;
}

std::vector<std::vector<Point>> clip_line(std::span<const Point> line, const Rect& rect) {
  std::vector<std::vector<Point>> parts;
  bool going_on = false;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const auto [enter, leave] = inside(line[i], line[i + 1], rect);
    if (enter > leave) {
      going_on = false;
      continue;
    }
    if (!going_on || enter > 0) {
      parts.push_back({between(line[i], line[i + 1], enter)});
    }
    parts.back().push_back(leave < 1 ? between(line[i], line[i + 1], leave) : line[i + 1]);
    going_on = leave >= 1;
  }
  return parts;
}

std::vector<Point> clip_area(std::span<const Point> corners, const Rect& rect) {
  std::vector<Point> area(corners.begin(), corners.end());
  // For each side, how far a point is inside of it.
  const std::array<std::function<double(Point)>, 4> sides = {
      [&](Point p) { return p.x - rect.x; }, [&](Point p) { return rect.right() - p.x; },
      [&](Point p) { return p.y - rect.y; }, [&](Point p) { return rect.bottom() - p.y; }};
  for (const auto& depth : sides) {
    std::vector<Point> kept;
    for (std::size_t i = 0; i < area.size(); ++i) {
      const Point from = area[i], to = area[(i + 1) % area.size()];
      const double a = depth(from), b = depth(to);
      if (a >= 0) {
        kept.push_back(from);
      }
      if ((a < 0) != (b < 0)) {
        kept.push_back(between(from, to, a / (a - b)));
      }
    }
    area = std::move(kept);
  }
  return area;
}

std::vector<Point> thinned(std::span<const Point> line) {
  constexpr double column_width = 0.5;
  std::vector<Point> result;
  for (std::size_t start = 0; start < line.size();) {
    const double column = std::floor(line[start].x / column_width);
    std::size_t end = start, top = start, bottom = start;
    for (; end < line.size() && std::floor(line[end].x / column_width) == column; ++end) {
      top = line[end].y < line[top].y ? end : top;
      bottom = line[end].y > line[bottom].y ? end : bottom;
    }
    std::array kept = {start, std::min(top, bottom), std::max(top, bottom), end - 1};
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (i == 0 || kept[i] != kept[i - 1]) {
        result.push_back(line[kept[i]]);
      }
    }
    start = end;
  }
  return result;
}

}  // namespace pair::plot

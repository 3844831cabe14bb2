#include "pair/plot/field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace pair::plot {
namespace {

// An edge between two neighbouring centres, by the index of the lower one and the direction. Lines join where
// squares share an edge, so coordinates never need to be compared.
using Edge = std::size_t;

class MarchingSquares {
 public:
  MarchingSquares(const Field& field, double level) : field_(field), level_(level) {
    for (std::size_t row = 0; row + 1 < field.rows; ++row) {
      for (std::size_t column = 0; column + 1 < field.columns; ++column) {
        cross(column, row);
      }
    }
  }

  [[nodiscard]] std::vector<std::vector<Point>> lines() {
    std::vector<std::vector<Point>> result;
    // Open lines first, starting from their ends; the remaining lines are closed.
    for (const bool open : {true, false}) {
      for (const auto& [edge, ends] : neighbours_) {
        const bool is_end = !ends[1].has_value();
        if (!used_.contains(edge) && (is_end || !open)) {
          result.push_back(follow(edge));
        }
      }
    }
    return result;
  }

 private:
  [[nodiscard]] Edge horizontal(std::size_t column, std::size_t row) const {
    return 2 * (row * field_.columns + column);
  }
  [[nodiscard]] Edge vertical(std::size_t column, std::size_t row) const {
    return 2 * (row * field_.columns + column) + 1;
  }

  void cross(std::size_t column, std::size_t row) {
    const std::array corners = {field_.at(column, row), field_.at(column + 1, row),
                                field_.at(column + 1, row + 1), field_.at(column, row + 1)};
    unsigned above = 0;
    double sum = 0.0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      if (!std::isfinite(corners[i])) {
        return;
      }
      above |= corners[i] > level_ ? 1U << i : 0U;
      sum += corners[i] / 4;
    }
    const std::array edges = {horizontal(column, row), vertical(column + 1, row), horizontal(column, row + 1),
                              vertical(column, row)};
    std::vector<Edge> crossed;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (((above >> i) & 1U) != ((above >> ((i + 1) % 4)) & 1U)) {
        crossed.push_back(edges[i]);
      }
    }
    if (crossed.size() == 2) {
      join(crossed[0], crossed[1]);
    } else if (crossed.size() == 4) {
      // A saddle: the centre is on one side of the level with two of the corners; the other two corners are
      // cut off.
      const bool first_corner_cut_off = ((above & 1U) != 0) != (sum > level_);
      join(edges[0], first_corner_cut_off ? edges[3] : edges[1]);
      join(edges[2], first_corner_cut_off ? edges[1] : edges[3]);
    }
  }

  void join(Edge a, Edge b) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      auto& ends = neighbours_[from];
      (ends[0] ? ends[1] : ends[0]) = to;
    }
  }

  [[nodiscard]] Point point(Edge edge) const {
    const std::size_t cell = edge / 2, column = cell % field_.columns, row = cell / field_.columns;
    const bool is_vertical = edge % 2 == 1;
    const std::size_t next_column = column + (is_vertical ? 0 : 1), next_row = row + (is_vertical ? 1 : 0);
    const double a = field_.at(column, row), b = field_.at(next_column, next_row);
    // Halved, since the difference may overflow. For denormal values with equal halves, the midpoint.
    const double apart = b / 2 - a / 2;
    const double share = apart == 0.0 ? 0.5 : std::clamp((level_ / 2 - a / 2) / apart, 0.0, 1.0);
    const Point from = field_.centre(column, row), to = field_.centre(next_column, next_row);
    return {from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)};
  }

  std::vector<Point> follow(Edge start) {
    std::vector<Point> line;
    std::optional<Edge> edge = start;
    while (edge) {
      line.push_back(point(*edge));
      used_.insert(*edge);
      std::optional<Edge> next;
      for (const std::optional<Edge>& end : neighbours_.at(*edge)) {
        if (end && !used_.contains(*end)) {
          next = end;
          break;
        }
      }
      const auto& ends = neighbours_.at(*edge);
      const bool back_at_start = line.size() > 2 && !next && (ends[0] == start || ends[1] == start);
      if (back_at_start) {
        line.push_back(line.front());
      }
      edge = next;
    }
    return line;
  }

  const Field& field_;
  double level_;
  std::map<Edge, std::array<std::optional<Edge>, 2>> neighbours_;
  std::set<Edge> used_;
};

}  // namespace

Point Field::centre(std::size_t column, std::size_t row) const {
  const double across = (static_cast<double>(column) + 0.5) / static_cast<double>(columns);
  const double up = (static_cast<double>(row) + 0.5) / static_cast<double>(rows);
  return {x_low + across * (x_high - x_low), y_low + up * (y_high - y_low)};
}

std::vector<std::vector<Point>> contour(const Field& field, double level) {
  return MarchingSquares(field, level).lines();
}

}  // namespace pair::plot

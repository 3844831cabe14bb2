#include "pair/moo/pareto.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>

#include "pair/base/numbers.h"
#include "pair/moo/min_norm.h"

namespace pair::moo {
namespace {

// The non-dominated points of a growing set in the plane, from left to right and hence from top to bottom.
class Staircase {
 public:
  // Whether some point is at or below (x, y) in both coordinates.
  [[nodiscard]] bool covers(double x, double y) const {
    const auto right = steps_.upper_bound(x);
    return right != steps_.begin() && std::prev(right)->second <= y;
  }

  // The area that (x, y), not covered, would add to the region that the staircase dominates below the corner.
  // A sum of positive rectangles: nothing cancels.
  [[nodiscard]] double gain(double x, double y, double corner_x, double corner_y) const {
    auto right = steps_.lower_bound(x);
    double left = x;
    double top = right == steps_.begin() ? corner_y : std::prev(right)->second;
    double area = 0.0;
    for (; right != steps_.end() && right->second >= y; ++right) {
      area += (right->first - left) * (top - y);
      left = right->first;
      top = right->second;
    }
    return area + ((right == steps_.end() ? corner_x : right->first) - left) * (top - y);
  }

  // Adds (x, y), not covered, and removes the points it covers.
  void insert(double x, double y) {
    auto right = steps_.lower_bound(x);
    while (right != steps_.end() && right->second >= y) {
      right = steps_.erase(right);
    }
    steps_.emplace_hint(right, x, y);
  }

 private:
  std::map<double, double> steps_;
};

// Rows of a matrix, accessed by row and objective.
struct Points {
  std::span<const double> values;
  std::size_t objectives;

  [[nodiscard]] std::size_t size() const { return values.size() / objectives; }
  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    return values.subspan(i * objectives, objectives);
  }
};

Points points_of(std::span<const double> values, std::size_t objectives) {
  if (objectives == 0) {
    throw std::invalid_argument("objectives: expected at least 1, got 0");
  }
  if (values.size() % objectives != 0) {
    throw std::invalid_argument("points: expected a multiple of the number of objectives, " +
                                std::to_string(objectives) + ", got " + std::to_string(values.size()) +
                                " values");
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isnan(values[k])) {
      throw std::invalid_argument("points[" + std::to_string(k / objectives) + "][" +
                                  std::to_string(k % objectives) + "]: expected a number, got nan");
    }
  }
  return {values, objectives};
}

void require_gram(std::span<const double> gram, std::size_t m) {
  if (m == 0 || gram.size() != m * m) {
    throw std::invalid_argument("gram: expected m x m values with m > 0, got " + std::to_string(gram.size()) +
                                " for m = " + std::to_string(m));
  }
  for (std::size_t k = 0; k < gram.size(); ++k) {
    const bool on_diagonal = k / m == k % m;
    if (!std::isfinite(gram[k]) || (on_diagonal && gram[k] < 0.0)) {
      throw std::invalid_argument(
          "gram[" + std::to_string(k / m) + "][" + std::to_string(k % m) + "]: expected a finite " +
          (on_diagonal ? "squared norm, not negative" : "inner product") + ", got " + base::shown(gram[k]));
    }
  }
}

}  // namespace

bool dominates(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) {
    throw std::invalid_argument("points: expected the same number of objectives, got " +
                                std::to_string(a.size()) + " and " + std::to_string(b.size()));
  }
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] <= b[i])) {
      return false;
    }
    better = better || a[i] < b[i];
  }
  return better;
}

std::vector<std::size_t> non_dominated(std::span<const double> points, std::size_t objectives) {
  const Points set = points_of(points, objectives);
  std::vector<std::size_t> order(set.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&set](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(set.row(a), set.row(b));
  });

  // A point that dominates another comes before it in this order, so the first objective needs no comparison.
  // For two objectives, the second is compared with the smallest so far; for three, the other two with a
  // staircase. Copies are adjacent and share the verdict of the first.
  std::vector<std::size_t> kept;
  Staircase staircase;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto row = set.row(order[k]);
    if (k > 0 && std::ranges::equal(row, set.row(order[k - 1]))) {
      if (kept.back() == order[k - 1]) {
        kept.push_back(order[k]);
      }
      continue;
    }
    bool dominated = false;
    if (objectives <= 2) {
      dominated = !kept.empty() && set.row(kept.back()).back() <= row.back();
    } else if (objectives == 3) {
      dominated = staircase.covers(row[1], row[2]);
    } else {
      dominated = std::any_of(kept.begin(), kept.end(),
                              [&](std::size_t other) { return dominates(set.row(other), row); });
    }
    if (dominated) {
      continue;
    }
    kept.push_back(order[k]);
    if (objectives == 3) {
      staircase.insert(row[1], row[2]);
    }
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

double hypervolume(std::span<const double> points, std::size_t objectives,
                   std::span<const double> reference) {
  if (objectives != 2 && objectives != 3) {
    throw std::invalid_argument("objectives: expected 2 or 3 for the hypervolume, got " +
                                std::to_string(objectives));
  }
  const Points set = points_of(points, objectives);
  if (reference.size() != objectives) {
    throw std::invalid_argument("reference: expected " + std::to_string(objectives) +
                                " values, one per objective, got " + std::to_string(reference.size()));
  }
  for (std::size_t i = 0; i < objectives; ++i) {
    if (!std::isfinite(reference[i])) {
      throw std::invalid_argument("reference[" + std::to_string(i) + "]: expected a finite number, got " +
                                  base::shown(reference[i]));
    }
  }

  struct Point {
    double z, x, y;  // in the plane, z is 0 and the sweep along it has one stop
    auto operator<=>(const Point&) const = default;
  };
  std::vector<Point> below;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto row = set.row(i);
    for (std::size_t k = 0; k < objectives; ++k) {
      if (row[k] == -std::numeric_limits<double>::infinity()) {
        throw std::invalid_argument("points[" + std::to_string(i) + "][" + std::to_string(k) +
                                    "]: expected a value above -inf, so that the volume is finite, got -inf");
      }
    }
    if (std::ranges::equal(row, reference, std::less<>{})) {
      below.push_back({objectives == 3 ? row[2] : 0.0, row[0], row[1]});
    }
  }
  std::sort(below.begin(), below.end());

  // Along z, the cross-section is the region of the plane dominated by the points passed so far (Fonseca,
  // Paquete and Lopez-Ibanez 2006).
  Staircase staircase;
  double area = 0.0;
  double volume = 0.0;
  const double end = objectives == 3 ? reference[2] : 1.0;
  for (std::size_t i = 0; i < below.size(); ++i) {
    const auto [z, x, y] = below[i];
    if (!staircase.covers(x, y)) {
      area += staircase.gain(x, y, reference[0], reference[1]);
      staircase.insert(x, y);
    }
    volume += area * ((i + 1 < below.size() ? below[i + 1].z : end) - z);
  }
  return volume;
}

double pareto_stationarity(std::span<const double> gram, std::size_t m) {
  require_gram(gram, m);
  return std::sqrt(min_norm(gram, m).squared_norm);
}

double conflict_angle(std::span<const double> gram, std::size_t m, std::size_t i, std::size_t j) {
  require_gram(gram, m);
  if (i >= m || j >= m) {
    throw std::invalid_argument("objectives: expected indices below " + std::to_string(m) + ", got " +
                                std::to_string(i) + " and " + std::to_string(j));
  }
  const double norms = std::sqrt(gram[i * m + i]) * std::sqrt(gram[j * m + j]);
  if (norms == 0.0) {
    return std::numbers::pi / 2;
  }
  return std::acos(std::clamp(gram[i * m + j] / norms, -1.0, 1.0));
}

}  // namespace pair::moo

#include "pair/plot/figure.h"

#include <array>
#include <cmath>
#include <stdexcept>

#include "pair/base/numbers.h"
#include "pair/plot/scale.h"

namespace pair::plot {
namespace {

class Checker {
 public:
  explicit Checker(std::size_t panel) : where_("panel " + std::to_string(panel + 1) + ": ") {}

  void operator()(const Chart& chart) const {
    check_axis(chart.x, "x");
    check_axis(chart.y, "y");
    if (chart.equal_units && (chart.x.scale == Scale::logarithmic || chart.y.scale == Scale::logarithmic)) {
      refuse("equal_units: expected two linear axes, got a logarithmic one");
    }
    for (const Mark& mark : chart.marks) {
      std::visit(*this, mark);
    }
  }

  void operator()(const Radar& radar) const {
    if (radar.spokes.size() < 3) {
      refuse("spokes: expected 3 or more names, got " + std::to_string(radar.spokes.size()));
    }
    if (radar.most && !(*radar.most > 0 && *radar.most <= largest_value)) {
      refuse("most: expected a number above 0, up to 1e300, got " + base::shown(*radar.most));
    }
    for (const RadarSeries& series : radar.series) {
      same_length("values", series.values.size(), "spokes", radar.spokes.size());
    }
  }

  void operator()(const Line& line) const { same_length("y", line.y.size(), "x", line.x.size()); }
  void operator()(const Points& points) const { same_length("y", points.y.size(), "x", points.x.size()); }
  void operator()(const Band& band) const {
    same_length("low", band.low.size(), "x", band.x.size());
    same_length("high", band.high.size(), "x", band.x.size());
  }
  void operator()(const HeatMap& map) const {
    check_field(map.field);
    if (map.range) {
      check_range("the heat map's range", *map.range, map.logarithmic);
    }
  }
  void operator()(const Contours& contours) const { check_field(contours.field); }
  void operator()(const Region&) const {}
  void operator()(const Span&) const {}
  void operator()(const Label&) const {}

 private:
  [[noreturn]] void refuse(const std::string& sentence) const {
    throw std::invalid_argument(where_ + sentence);
  }

  void same_length(const char* a, std::size_t size_a, const char* b, std::size_t size_b) const {
    if (size_a != size_b) {
      refuse(std::string(a) + " and " + b + ": expected the same length, got " + std::to_string(size_a) +
             " and " + std::to_string(size_b));
    }
  }

  void check_range(const std::string& name, std::pair<double, double> range, bool logarithmic) const {
    const auto [low, high] = range;
    if (!(low < high && std::abs(low) <= largest_value && std::abs(high) <= largest_value &&
          (!logarithmic || low > 0))) {
      refuse(name + ": expected two increasing numbers of at most 1e300 in magnitude" +
             (logarithmic ? ", above 0 on a logarithmic scale" : "") + ", got " + base::shown(low) + " to " +
             base::shown(high));
    }
  }

  void check_axis(const Axis& axis, const std::string& name) const {
    if (axis.range) {
      check_range("the range of " + name, *axis.range, axis.scale == Scale::logarithmic);
    }
  }

  void check_field(const Field& field) const {
    if (field.values.size() != field.columns * field.rows) {
      refuse("field: expected columns x rows = " + std::to_string(field.columns) + " x " +
             std::to_string(field.rows) + " values, got " + std::to_string(field.values.size()));
    }
    check_range("the field's x", {field.x_low, field.x_high}, false);
    check_range("the field's y", {field.y_low, field.y_high}, false);
  }

  std::string where_;
};

void check_size(const char* name, double value, double least, double most) {
  if (!(value >= least && value <= most)) {
    throw std::invalid_argument(std::string(name) + ": expected " + base::shown(least) + " to " +
                                base::shown(most) + " px, got " + base::shown(value));
  }
}

}  // namespace

Shape shape(std::size_t i) {
  return static_cast<Shape>(i % shape_count);
}

Dash dash(std::size_t i) {
  return static_cast<Dash>(i % dash_count);
}

std::vector<int> lengths_of(Dash dash) {
  const std::array<std::vector<int>, dash_count> lengths{
      {{}, {6, 4}, {2, 3}, {8, 3, 2, 3}, {12, 4}, {8, 3, 2, 3, 2, 3}, {2, 7}, {14, 3, 5, 3}}};
  return lengths.at(static_cast<std::size_t>(dash));
}

Region rectangle(std::string name, double x_low, double x_high, double y_low, double y_high, Color color) {
  return {.name = std::move(name),
          .corners = {{x_low, y_low}, {x_high, y_low}, {x_high, y_high}, {x_low, y_high}},
          .color = color};
}

void validate(const Figure& figure) {
  check_size("panel_width", figure.panel_width, 160, 4000);
  check_size("panel_height", figure.panel_height, 120, 4000);
  if (figure.columns == 0) {
    throw std::invalid_argument("columns: expected an integer of at least 1, got 0");
  }
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    std::visit(Checker(i), figure.panels[i]);
  }
}

}  // namespace pair::plot

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pair/plot/figure.h"

// Maps numbers to positions on an axis.

namespace pair::plot {

// The magnitude up to which axes show values, so that their differences do not overflow.
inline constexpr double largest_value = 1e300;

// The range of values that an axis shows.
struct Extent {
  double low = 0.0;
  double high = 1.0;
};

// Collects the numbers that an axis must show.
class Needed {
 public:
  explicit Needed(Scale scale) : scale_(scale) {}

  // Whether the axis can show the value: finite, and positive on a logarithmic axis.
  [[nodiscard]] bool takes(double value) const;
  // Values that the axis cannot show are ignored.
  void add(double value);
  void add(std::span<const double> values);
  // Adds a margin around the outermost values.
  void ask_for_room() { room_ = true; }
  // A field's edges: it fills the axis without a margin.
  void add_filled(double low, double high);

  [[nodiscard]] bool empty() const { return !low_; }
  // The axis's own range if it has one. Otherwise the range of the numbers, plus a margin of 5% if
  // ask_for_room was called and no field fills the axis. Numbers that differ by less than 1e-9 of their size
  // count as equal and are centred. Without numbers: 0 to 1, or 1 to 10 on a logarithmic axis.
  [[nodiscard]] Extent extent(const Axis& axis) const;

 private:
  Scale scale_;
  std::optional<double> low_, high_;
  bool room_ = false;
  bool filled_ = false;
};

// Maps numbers to px.
class Mapping {
 public:
  // px_low may be above px_high, as on a y axis.
  Mapping(Extent extent, Scale scale, double px_low, double px_high);

  // Whether the value has a position on the axis, inside the range or not: finite, and positive if
  // logarithmic.
  [[nodiscard]] bool has(double value) const;
  [[nodiscard]] bool shows(double value) const;  // has(value), and inside the range
  // The position in px. Always finite: values far outside the range map to a point outside on the same side.
  [[nodiscard]] double operator()(double value) const;
  [[nodiscard]] double px_low() const { return px_low_; }
  [[nodiscard]] double px_high() const { return px_high_; }

 private:
  [[nodiscard]] double place(double value) const;

  Extent extent_;
  Scale scale_;
  double px_low_, px_high_;
};

}  // namespace pair::plot

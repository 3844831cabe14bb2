#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pair/plot/figure.h"

// From numbers to places on an axis.

namespace pair::plot {

// What an axis shows.
struct Extent {
  double low = 0.0;
  double high = 1.0;
};

// The numbers that an axis has to show.
class Needed {
 public:
  explicit Needed(Scale scale) : scale_(scale) {}

  // Whether the axis has a place for it: finite, and positive where logarithmic.
  [[nodiscard]] bool takes(double value) const;
  // What the axis has no place for is left out.
  void add(double value);
  void add(std::span<const double> values);
  // Around the outermost of them.
  void ask_for_room() { room_ = true; }
  // A field's edges: it fills the axis, without room beyond it.
  void add_filled(double low, double high);

  [[nodiscard]] bool empty() const { return !low_; }
  // The axis's own range, or what is needed and 5% more where room was asked for and no field fills it.
  // Numbers closer together than 1e-9 of their size are shown as equal, in the middle. Without any: 0 to 1,
  // or 1 to 10.
  [[nodiscard]] Extent extent(const Axis& axis) const;

 private:
  Scale scale_;
  std::optional<double> low_, high_;
  bool room_ = false;
  bool filled_ = false;
};

// Numbers to px, and nothing else.
class Mapping {
 public:
  // px_low may be above px_high, as on a y axis.
  Mapping(Extent extent, Scale scale, double px_low, double px_high);

  // Whether it has a place on the axis, within the range or not: finite, and positive where logarithmic.
  [[nodiscard]] bool has(double value) const;
  [[nodiscard]] bool shows(double value) const;  // has, and within the range
  // Far outside the range, somewhere outside on the same side: always finite.
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

#include "pair/plot/scale.h"

#include <algorithm>
#include <cmath>

namespace pair::plot {
namespace {

constexpr double room = 0.05;
constexpr double equal = 1e-9;  // relative to the values' size
constexpr double far = 1e4;     // in lengths of the axis

}  // namespace

bool Needed::takes(double value) const {
  return std::isfinite(value) && (scale_ == Scale::linear || value >= 1 / largest_value);
}

void Needed::add(double value) {
  if (takes(value)) {
    value = std::clamp(value, -largest_value, largest_value);
    low_ = std::min(low_.value_or(value), value);
    high_ = std::max(high_.value_or(value), value);
  }
}

void Needed::add(std::span<const double> values) {
  for (const double value : values) {
    add(value);
  }
}

void Needed::add_filled(double low, double high) {
  add(low);
  add(high);
  filled_ = true;
}

Extent Needed::extent(const Axis& axis) const {
  const bool logarithmic = scale_ == Scale::logarithmic;
  if (axis.range) {
    return {axis.range->first, axis.range->second};
  }
  if (empty()) {
    return logarithmic ? Extent{1, 10} : Extent{0, 1};
  }
  double low = *low_, high = *high_;
  const double more = room_ && !filled_ ? room : 0.0;
  if (logarithmic) {
    if (high / low < 1 + equal) {
      return {std::max(low / 2, 1 / largest_value), std::min(high * 2, largest_value)};
    }
    const double wider = std::exp(more * (std::log(high) - std::log(low)));
    return {std::max(low / wider, 1 / largest_value), std::min(high * wider, largest_value)};
  }
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low <= std::max(equal * size, 1 / largest_value)) {
    const double half = size > 1 / largest_value ? 0.1 * size : 1.0;
    return {low - half, high + half};
  }
  const double wider = more * (high - low);
  return {std::max(low - wider, -largest_value), std::min(high + wider, largest_value)};
}

Mapping::Mapping(Extent extent, Scale scale, double px_low, double px_high)
    : extent_(extent), scale_(scale), px_low_(px_low), px_high_(px_high) {}

bool Mapping::has(double value) const {
  return std::isfinite(value) && (scale_ == Scale::linear || value > 0);
}

bool Mapping::shows(double value) const {
  constexpr double rounding = 1e-9;
  return has(value) && place(value) >= -rounding && place(value) <= 1 + rounding;
}

double Mapping::place(double value) const {
  const double share = scale_ == Scale::logarithmic ? (std::log(value) - std::log(extent_.low)) /
                                                          (std::log(extent_.high) - std::log(extent_.low))
                                                    : (value - extent_.low) / (extent_.high - extent_.low);
  return std::clamp(share, -far, far);
}

double Mapping::operator()(double value) const {
  return px_low_ + place(value) * (px_high_ - px_low_);
}

}  // namespace pair::plot

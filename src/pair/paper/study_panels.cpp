#include "pair/paper/study_panels.h"

#include <algorithm>
#include <cmath>

namespace pair::paper {
namespace {

plot::Axis named(const HeatAxis& axis) {
  plot::Axis result{.label = axis.label, .range = std::pair(0.0, static_cast<double>(axis.names.size()))};
  for (std::size_t i = 0; i < axis.names.size(); ++i) {
    result.ticks.push_back({static_cast<double>(i) + 0.5, axis.names[i]});
  }
  return result;
}

}  // namespace

plot::Chart heat_panel(std::string title, const HeatAxis& x, const HeatAxis& y, std::vector<double> values,
                       std::pair<double, double> range) {
  plot::Field field{.columns = x.names.size(),
                    .rows = y.names.size(),
                    .values = std::move(values),
                    .x_high = static_cast<double>(x.names.size()),
                    .y_high = static_cast<double>(y.names.size())};
  return {
      .title = std::move(title),
      .x = named(x),
      .y = named(y),
      .marks = {plot::HeatMap{
          .label = "worst test accuracy (%)", .field = std::move(field), .range = range, .values = true}}};
}

std::pair<double, double> range_of(const std::vector<double>& values) {
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  for (const double value : values) {
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (!(low <= high)) {
    return {0.0, 100.0};
  }
  return high - low >= 1.0 ? std::pair(low, high) : std::pair(low - 0.5, high + 0.5);
}

void add_line(plot::Chart& chart, std::size_t place, std::string name, const std::vector<double>& x,
              const std::vector<double>& mean, const std::vector<double>& deviation, bool points) {
  const plot::Color color = plot::category(place);
  if (std::any_of(deviation.begin(), deviation.end(), [](double value) { return value > 0.0; })) {
    plot::Band band{.x = x, .color = color};
    for (std::size_t i = 0; i < x.size(); ++i) {
      band.low.push_back(mean[i] - deviation[i]);
      band.high.push_back(mean[i] + deviation[i]);
    }
    chart.marks.emplace_back(std::move(band));
  }
  plot::Line line{.name = std::move(name), .x = x, .y = mean, .color = color, .dash = plot::dash(place)};
  if (points) {
    line.shape = plot::shape(place);
  }
  chart.marks.emplace_back(std::move(line));
}

}  // namespace pair::paper

#include "pair/paper/extrapolation_figure.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/data/extrapolation_spec.h"

namespace pair::paper {
namespace {

using nlohmann::json;
using plot::Chart;
using plot::Color;

constexpr double extent = data::extrapolation_extent;
// Labels are from 0 to 2; predictions outside are shown up to these limits.
constexpr double least_shown = -0.5;
constexpr double most_shown = 2.5;

// Two standard deviations around the centre: 86 percent of the points.
plot::Region ellipse(std::string name, double x, double y, double a, double b, double c) {
  plot::Region region{.name = std::move(name), .color = Color::ink, .opacity = 0.0};
  const double along = std::sqrt(a);
  const double shear = b / along;
  const double across = std::sqrt(c - shear * shear);
  constexpr int corners = 64;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * std::numbers::pi * i / corners;
    const double first = 2 * std::cos(angle);
    const double second = 2 * std::sin(angle);
    region.corners.push_back({x + along * first, y + shear * first + across * second});
  }
  return region;
}

std::vector<plot::Region> training_regions(const json& result) {
  if (result.at("sampling") == "uniform") {
    std::vector<plot::Region> regions = {plot::rectangle("training data", -3, 1, -3, -2, Color::ink),
                                         plot::rectangle("", -1, 3, 2, 3, Color::ink)};
    for (plot::Region& region : regions) {
      region.opacity = 0.0;
    }
    return regions;
  }
  return {ellipse("training data (two deviations)", -0.9, -2.2, 0.9, 0.11, 0.1),
          ellipse("", 1, 2, 1, -0.3, 0.1)};
}

Chart map(const json& result, std::string title, plot::Field field) {
  Chart chart{.title = std::move(title),
              .x = {.label = "x1, invariant", .range = {{-extent, extent}}},
              .y = {.label = "x2, spurious", .range = {{-extent, extent}}},
              .marks = {},
              .equal_units = true};
  plot::Field shown = field;
  for (double& value : shown.values) {
    value = std::clamp(value, least_shown, most_shown);
  }
  chart.marks.emplace_back(
      plot::HeatMap{.label = "prediction", .field = std::move(shown), .range = {{least_shown, most_shown}}});
  chart.marks.emplace_back(plot::Contours{.name = "equal predictions",
                                          .field = std::move(field),
                                          .levels = {0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75}});
  for (plot::Region& region : training_regions(result)) {
    chart.marks.emplace_back(std::move(region));
  }
  return chart;
}

plot::Field field_of(const json& values) {
  const auto side = values.at("side").get<std::size_t>();
  // Predictions are at points from edge to edge; a field's values are at the centres of its cells.
  const double half = extent / static_cast<double>(side - 1);
  return {side,           side,          values.at("values").get<std::vector<double>>(),
          -extent - half, extent + half, -extent - half,
          extent + half};
}

}  // namespace

plot::Figure extrapolation_figure(const nlohmann::json& result) {
  plot::Figure figure;
  figure.title = "Extrapolation from two " + result.at("sampling").get<std::string>() + " environments" +
                 (result.value("problem", "paper") == "notebook" ? ", the notebook's problem" : "");
  figure.columns = 3;
  figure.panel_height = 340;
  const double frequency = result.at("frequency");
  constexpr std::size_t side = 101;
  figure.panels.emplace_back(
      map(result, "Truth", plot::sample(side, side, -extent, extent, -extent, extent, [&](double x1, double) {
            return data::extrapolation_label(x1, frequency);
          })));
  for (const json& method : result.at("methods")) {
    const std::string title = method.at("label").get<std::string>() + ": MSE " +
                              base::with_decimals(method.at("mse").at("values").at(0), 2) + ", invariance " +
                              base::with_decimals(method.at("invariance").at("values").at(0), 3);
    figure.panels.emplace_back(map(result, title, field_of(method.at("map"))));
  }
  return figure;
}

}  // namespace pair::paper

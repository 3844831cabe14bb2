#include "pair/paper/failure_figure.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"

namespace pair::paper {
namespace {

using nlohmann::json;
using plot::Chart;
using plot::Color;

// The landscape's values are at points from edge to edge of the window; a field's are at the centres of its
// cells.
plot::Field field_of(const json& failure, const char* name) {
  const json& landscape = failure["landscape"];
  const auto u = landscape["u"].get<std::vector<double>>(), v = landscape["v"].get<std::vector<double>>();
  const double half_u = (u[1] - u[0]) / 2, half_v = (v[1] - v[0]) / 2;
  plot::Field field{u.size(),           v.size(),         {}, u.front() - half_u, u.back() + half_u,
                    v.front() - half_v, v.back() + half_v};
  for (const json& row : landscape[name]) {
    for (const json& value : row) {
      field.values.push_back(value.get<double>());
    }
  }
  return field;
}

plot::Line line_of(const json& points, std::string name, Color color, plot::Dash dash) {
  plot::Line line{.name = std::move(name), .color = color, .dash = dash};
  for (const json& point : points) {
    line.x.push_back(point[0]);
    line.y.push_back(point[1]);
  }
  return line;
}

// Purple is reserved for zero variance, so environments skip it.
Color color_of_environment(std::size_t i) {
  return plot::category(i < 3 ? i : i + 1);
}

constexpr auto zero_variance_color = Color::purple;
constexpr auto zero_variance_dash = plot::Dash::dash_dotted;

const json& named(const json& failure, const char* name) {
  const json& points = failure["points"];
  return *std::find_if(points.begin(), points.end(),
                       [name](const json& point) { return point["name"] == name; });
}

// `coordinates`: the part of a point that a panel shows, "f" or "risks".
void add_points(Chart& chart, const json& failure, const char* coordinates) {
  plot::Points invariant{.name = "satisfies IRM_S", .color = Color::ink, .size = 8};
  plot::Points optimum{
      .name = "ERM optimum", .color = Color::orange, .shape = plot::Shape::square, .size = 9};
  std::vector<plot::Label> labels;
  for (const json& point : failure["points"]) {
    const double x = point[coordinates][0], y = point[coordinates][1];
    plot::Points& marks = point["irm_s"].get<bool>() ? invariant : optimum;
    marks.x.push_back(x);
    marks.y.push_back(y);
    const auto name = point["name"].get<std::string>();
    labels.push_back({.text = "f", .x = x, .y = y, .subscript = name.substr(name.find('_') + 1)});
  }
  chart.marks.emplace_back(invariant);
  chart.marks.emplace_back(optimum);
  chart.marks.insert(chart.marks.end(), labels.begin(), labels.end());
}

Chart plane(const json& failure, std::string title) {
  const json &low = failure["window"]["low"], &high = failure["window"]["high"];
  return {.title = std::move(title),
          .x = {.label = "f(1, 1)", .range = {{low[0], high[0]}}},
          .y = {.label = "f(1, −1)", .range = {{low[1], high[1]}}}};
}

Chart constraints(const json& failure) {
  Chart chart = plane(failure, "Constraints over the ERM loss");
  const plot::Field erm = field_of(failure, "erm");
  chart.marks = {plot::HeatMap{.label = "ERM loss", .field = erm, .scale = plot::ColorScale::shade}};
  std::size_t i = 0;
  for (const json& constraint : failure["constraints"]) {
    json curve = constraint["curve"];
    curve.push_back(curve.front());
    plot::Line line = line_of(curve, "constraint, β = " + base::shown(constraint["beta"]),
                              color_of_environment(i), plot::dash(i));
    line.width = 2.2;
    chart.marks.emplace_back(line);
    ++i;
  }
  // Inside, predictors have a lower ERM loss than f_IRM: those that satisfy IRM_S there are preferred to it.
  chart.marks.emplace_back(plot::Contours{.name = "ERM loss of f_IRM",
                                          .field = erm,
                                          .levels = {named(failure, "f_IRM")["erm"]},
                                          .color = Color::ink,
                                          .dash = plot::Dash::dotted,
                                          .width = 1.3});
  add_points(chart, failure, "f");
  return chart;
}

Chart variance(const json& failure) {
  Chart chart = plane(failure, "Variance of the risks");
  plot::HeatMap map{.label = "V-REx", .field = field_of(failure, "vrex"), .scale = plot::ColorScale::shade};
  // A logarithmic scale cannot reach 0; four decades show where the variance is low.
  constexpr double decades = 1e4;
  const double most = *std::max_element(map.field.values.begin(), map.field.values.end());
  if (most > 0) {
    map.logarithmic = true;
    map.range = {{most / decades, most}};
    for (double& value : map.field.values) {
      value = std::max(value, most / decades);
    }
  }
  chart.marks = {map};
  for (const json& line : failure["zero_variance"]) {
    if (!line.is_null()) {
      chart.marks.emplace_back(line_of(line, "zero variance", zero_variance_color, zero_variance_dash));
    }
  }
  add_points(chart, failure, "f");
  return chart;
}

Chart front(const json& failure) {
  Chart chart{.title = "Pareto front of two environments",
              .x = {.label = "risk where β = " + base::shown(failure["betas"][0])},
              .y = {.label = "risk where β = " + base::shown(failure["betas"][1])}};
  json risks = json::array();
  for (const json& point : failure["pareto"]["front"]) {
    risks.push_back(point["risks"]);
  }
  plot::Line line = line_of(risks, "Pareto front", Color::green, plot::Dash::solid);
  line.width = 2.2;
  chart.marks = {line, line_of(failure["pareto"]["zero_variance"], "equal risks", zero_variance_color,
                               zero_variance_dash)};
  add_points(chart, failure, "risks");
  // The front and its surroundings; f_0 and f_2 are far away.
  risks.push_back(named(failure, "f_IRM")["risks"]);
  for (const std::size_t axis : {0U, 1U}) {
    const auto [low, high] = std::minmax_element(
        risks.begin(), risks.end(), [axis](const json& a, const json& b) { return a[axis] < b[axis]; });
    const double least = (*low)[axis], most = (*high)[axis], room = 0.15 * (most - least);
    (axis == 0 ? chart.x : chart.y).range = {{least - room, most + 2 * room}};
  }
  return chart;
}

}  // namespace

plot::Figure failure_figure(const json& failure) {
  const std::string betas =
      base::joined(failure["betas"], ", ", [](const json& beta) { return base::shown(beta); });
  const auto loss = failure["loss"].get<std::string>();
  return {.title = "Two-bit environments, " + loss + " loss, α = " + base::shown(failure["alpha"]) +
                   ", β = " + betas,
          .panels = {constraints(failure), variance(failure), front(failure)},
          .panel_width = 410,
          .panel_height = 400};
}

}  // namespace pair::paper

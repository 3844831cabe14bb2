#include "pair/paper/concave.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/moo/registry.h"
#include "pair/moo/test_problems.h"

namespace pair::paper {
namespace {

using nlohmann::json;

constexpr std::size_t front_points = 201;
constexpr double near_enough = 0.02;  // the distance on the front that EPO's default epsilon corresponds to

// Beside the Pareto set, off its middle: neither loss is preferred there.
std::vector<double> concave_start(const moo::FonsecaFleming& problem) {
  std::vector<double> x = problem.pareto_set(0.1 * problem.end());
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] += (k % 2 == 0 ? 0.6 : -0.6) / std::sqrt(static_cast<double>(x.size()));
  }
  return x;
}

json descent_json(const moo::FonsecaFleming& problem, const moo::Solver& solver,
                  const std::array<double, 2>& preference, std::size_t steps,
                  const std::array<double, 2>& preferred) {
  // Most of the way is in the first steps; the straight line of a longer leg would cross the front.
  constexpr std::size_t single_steps = 100;
  constexpr std::size_t leg = 20;
  std::vector<double> x = concave_start(problem);
  json path = json::array({problem.losses(x)});
  for (std::size_t done = 0; done < steps;) {
    const std::size_t next = std::min(done < single_steps ? 1 : leg, steps - done);
    x = moo::descend(problem, solver, preference, std::move(x), {.steps = next});
    path.push_back(problem.losses(x));
    done += next;
  }
  const std::vector<double> end = problem.losses(x);
  return {{"end", end},
          {"path", std::move(path)},
          {"distance", std::hypot(end[0] - preferred[0], end[1] - preferred[1])}};
}

std::string one_number(const json& value) {
  return base::with_decimals(value.get<double>(), 3);
}

std::string two_numbers(const json& pair) {
  return one_number(pair.at(0)) + ", " + one_number(pair.at(1));
}

plot::Line path_line(const json& path, std::string name, plot::Color color, plot::Dash dash) {
  plot::Line line{.name = std::move(name), .color = color, .dash = dash, .width = 1.2};
  for (const json& point : path) {
    line.x.push_back(point.at(0));
    line.y.push_back(point.at(1));
  }
  return line;
}

}  // namespace

nlohmann::json concave(const ConcaveRequest& request) {
  base::require_integer("rays", static_cast<std::int64_t>(request.rays), 1, 1000);
  base::require_integer("steps", static_cast<std::int64_t>(request.steps), 1, 1'000'000);
  const moo::FonsecaFleming problem;
  json result{{"name", "fig-concave"},
              {"steps", request.steps},
              {"front", json::array()},
              {"inflections", {problem.front(-problem.inflection()), problem.front(problem.inflection())}},
              {"start", problem.losses(concave_start(problem))},
              {"runs", json::array()}};
  for (std::size_t i = 0; i < front_points; ++i) {
    const double share = static_cast<double>(i) / (front_points - 1);
    result["front"].push_back(problem.front(problem.end() * (2.0 * share - 1.0)));
  }
  std::size_t reached_epo = 0;
  std::size_t reached_linear = 0;
  const std::unique_ptr<moo::Solver> epo = moo::make_solver("epo");
  const std::unique_ptr<moo::Solver> linear = moo::make_solver("linear");
  for (std::size_t k = 0; k < request.rays; ++k) {
    const double angle =
        (static_cast<double>(k) + 0.5) / static_cast<double>(request.rays) * std::numbers::pi / 2;
    const std::array preference{1.0 / std::cos(angle), 1.0 / std::sin(angle)};
    const std::array<double, 2> preferred = problem.front(problem.preferred(preference));
    json run{{"preference", preference},
             {"preferred", preferred},
             {"epo", descent_json(problem, *epo, preference, request.steps, preferred)},
             {"linear", descent_json(problem, *linear, preference, request.steps, preferred)}};
    reached_epo += run.at("epo").at("distance").get<double>() < near_enough ? 1 : 0;
    reached_linear += run.at("linear").at("distance").get<double>() < near_enough ? 1 : 0;
    result["runs"].push_back(std::move(run));
  }
  result["reached"] = {{"epo", reached_epo}, {"linear", reached_linear}};
  return result;
}

std::string concave_text(const nlohmann::json& result) {
  base::Rows rows = {
      {"preference", "preferred losses", "EPO ends at", "distance", "weighted sum ends at", "distance"}};
  for (const json& run : result.at("runs")) {
    rows.push_back({two_numbers(run.at("preference")), two_numbers(run.at("preferred")),
                    two_numbers(run.at("epo").at("end")), one_number(run.at("epo").at("distance")),
                    two_numbers(run.at("linear").at("end")), one_number(run.at("linear").at("distance"))});
  }
  const std::string all = std::to_string(result.at("runs").size());
  return "A concave Pareto front (Figure 1c): where " +
         std::to_string(result.at("steps").get<std::size_t>()) + " gradient steps end\n\n" +
         base::aligned(rows, {.indent = "  ", .gap = 3, .left = 0}) +
         "\nWithin 0.02 of the preferred point: EPO " +
         std::to_string(result.at("reached").at("epo").get<std::size_t>()) + " of " + all +
         ", the weighted sum with the same numbers as weights " +
         std::to_string(result.at("reached").at("linear").get<std::size_t>()) + " of " + all + ".\n";
}

plot::Figure concave_figure(const nlohmann::json& result) {
  plot::Figure figure{
      .title = "A concave Pareto front", .columns = 2, .panel_width = 440, .panel_height = 420};
  const std::string all = std::to_string(result.at("runs").size());
  for (const auto& [key, name] : {std::pair{"linear", "Weighted sums"}, std::pair{"epo", "EPO"}}) {
    const std::string title = std::string(name) + ": " +
                              std::to_string(result.at("reached").at(key).get<std::size_t>()) + " of " + all +
                              " runs end at the preferred point";
    plot::Chart chart{.title = title,
                      .x = {.label = "first loss", .range = {{-0.02, 1.0}}},
                      .y = {.label = "second loss", .range = {{-0.02, 1.0}}},
                      .equal_units = true};
    plot::Line front{.name = "Pareto front", .color = plot::Color::ink, .width = 2.4};
    for (const json& point : result.at("front")) {
      front.x.push_back(point.at(0));
      front.y.push_back(point.at(1));
    }
    chart.marks.emplace_back(std::move(front));
    plot::Points preferred{.name = "preferred",
                           .color = plot::Color::ink,
                           .shape = plot::Shape::diamond,
                           .size = 9,
                           .hollow = true};
    plot::Points ends{
        .name = "end", .color = plot::category(std::string_view(key) == "epo" ? 0 : 1), .size = 8};
    bool first = true;
    for (const json& run : result.at("runs")) {
      chart.marks.emplace_back(
          path_line(run.at(key).at("path"), first ? "path" : "", ends.color, plot::Dash::solid));
      first = false;
      preferred.x.push_back(run.at("preferred").at(0));
      preferred.y.push_back(run.at("preferred").at(1));
      ends.x.push_back(run.at(key).at("end").at(0));
      ends.y.push_back(run.at(key).at("end").at(1));
    }
    chart.marks.emplace_back(std::move(preferred));
    chart.marks.emplace_back(std::move(ends));
    chart.marks.emplace_back(plot::Points{.name = "start",
                                          .x = {result.at("start").at(0).get<double>()},
                                          .y = {result.at("start").at(1).get<double>()},
                                          .color = plot::Color::ink,
                                          .shape = plot::Shape::cross,
                                          .size = 9});
    figure.panels.emplace_back(std::move(chart));
  }
  return figure;
}

}  // namespace pair::paper

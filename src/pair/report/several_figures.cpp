#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/tables.h"
#include "pair/moo/pareto.h"
#include "pair/report/figures.h"
#include "pair/report/series.h"

namespace pair::report {
namespace {

std::vector<const Metric*> losses_of(const Sources& sources) {
  std::vector<const Metric*> all;
  std::vector<const Metric*> objectives;
  for (const Metric& metric : sources.metrics) {
    if (metric.kind == Kind::loss) {
      all.push_back(&metric);
      if (metric.key.starts_with("losses.")) {
        objectives.push_back(&metric);
      }
    }
  }
  return objectives.empty() ? all : objectives;
}

std::string loss_name(const Metric* loss) {
  const std::size_t dot = loss->key.find('.');
  return loss->key.substr(dot == std::string::npos ? 0 : dot + 1);
}

plot::Axis axis_of(const Metric& metric) {
  const bool logarithmic = metric.kind == Kind::loss || metric.kind == Kind::error;
  return {.label = metric.label, .scale = logarithmic ? plot::Scale::logarithmic : plot::Scale::linear};
}

std::optional<plot::Figure> overlay(const Sources& sources, const Metric& metric) {
  constexpr std::size_t points = 400;
  plot::Chart chart{.x = {.label = "step"}, .y = axis_of(metric)};
  for (std::size_t i = 0; i < sources.methods.size(); ++i) {
    const Method& method = sources.methods[i];
    const Curve curve = curve_of(sources.history(), method, metric, points);
    const std::vector<double> steps(curve.steps.begin(), curve.steps.end());
    if (steps.empty()) {
      continue;
    }
    if (method.runs.size() > 1) {
      chart.marks.emplace_back(plot::Band{{}, steps, curve.low, curve.high, plot::category(i)});
    }
    chart.marks.emplace_back(plot::Line{method.label, steps, curve.mean, plot::category(i), plot::dash(i)});
  }
  if (chart.marks.empty()) {
    return std::nullopt;
  }
  return plot::Figure{.title = "Mean over runs, with smallest and largest value",
                      .panels = {std::move(chart)},
                      .panel_width = 560};
}

std::optional<plot::Figure> spread(const Sources& sources, const Metric& metric) {
  plot::Chart chart{.y = axis_of(metric)};
  for (std::size_t i = 0; i < sources.methods.size(); ++i) {
    const Method& method = sources.methods[i];
    const Spread of = last_spread(sources.history(), method, metric);
    if (of.runs == 0) {
      continue;
    }
    const auto x = static_cast<double>(i);
    plot::Points points{.color = plot::category(i), .shape = plot::shape(i), .size = 6, .hollow = true};
    for (const std::size_t run : method.runs) {
      points.x.push_back(x);
      points.y.push_back(last_of(sources.history()[run].find(metric.key)));
    }
    chart.marks.emplace_back(std::move(points));
    chart.marks.emplace_back(plot::Line{.x = {x + 0.2, x + 0.2},
                                        .y = {of.mean - of.deviation, of.mean + of.deviation},
                                        .color = plot::category(i)});
    chart.marks.emplace_back(plot::Points{
        .x = {x + 0.2}, .y = {of.mean}, .color = plot::category(i), .shape = plot::shape(i), .size = 9});
    chart.x.ticks.push_back({x, method.label});
  }
  if (chart.marks.empty()) {
    return std::nullopt;
  }
  chart.x.range = std::pair(-0.5, static_cast<double>(sources.methods.size()) - 0.3);
  return plot::Figure{.title = "Last records of all runs, with mean and standard deviation",
                      .panels = {std::move(chart)},
                      .panel_width = 560};
}

std::optional<plot::Figure> radar(const Sources& sources) {
  plot::Radar radar{.most = 1.0};
  const std::vector<const Metric*> losses = losses_of(sources);
  if (losses.size() < 3) {
    return std::nullopt;
  }
  std::vector<double> largest(losses.size(), 0.0);
  for (std::size_t i = 0; i < sources.methods.size(); ++i) {
    plot::RadarSeries series{sources.methods[i].label, {}, plot::category(i), plot::dash(i)};
    for (std::size_t k = 0; k < losses.size(); ++k) {
      const Spread of = last_spread(sources.history(), sources.methods[i], *losses[k]);
      series.values.push_back(of.runs > 0 ? std::abs(of.mean) : std::nan(""));
      largest[k] = of.runs > 0 ? std::max(largest[k], std::abs(of.mean)) : largest[k];
    }
    radar.series.push_back(std::move(series));
  }
  for (std::size_t k = 0; k < losses.size(); ++k) {
    radar.spokes.push_back(loss_name(losses[k]));
    for (plot::RadarSeries& series : radar.series) {
      series.values[k] /= largest[k];
    }
  }
  return plot::Figure{.title = "Final losses, each divided by the largest",
                      .panels = {std::move(radar)},
                      .panel_width = 460,
                      .panel_height = 420};
}

// Of points x1, y1, x2, y2, ...
plot::Line front_of(const std::vector<double>& points) {
  std::vector<std::pair<double, double>> front;
  for (const std::size_t i : moo::non_dominated(points, 2)) {
    front.emplace_back(points[2 * i], points[2 * i + 1]);
  }
  std::sort(front.begin(), front.end());
  plot::Line line{.color = plot::Color::ink, .width = 1.0};
  for (const auto& [x, y] : front) {
    if (!line.y.empty()) {
      // A point dominates everything above and to the right of it.
      line.x.push_back(x);
      line.y.push_back(line.y.back());
    }
    line.x.push_back(x);
    line.y.push_back(y);
  }
  return line;
}

std::optional<plot::Figure> pareto(const Sources& sources) {
  const std::vector<const Metric*> losses = losses_of(sources);
  if (losses.size() < 2) {
    return std::nullopt;
  }
  plot::Chart chart{.x = axis_of(*losses[0]), .y = axis_of(*losses[1])};
  std::map<std::string, std::vector<double>> by_dataset;
  for (std::size_t i = 0; i < sources.methods.size(); ++i) {
    plot::Points points{
        .name = sources.methods[i].label, .color = plot::category(i), .shape = plot::shape(i)};
    for (const std::size_t run : sources.methods[i].runs) {
      const double x = last_of(sources.history()[run].find(losses[0]->key));
      const double y = last_of(sources.history()[run].find(losses[1]->key));
      if (std::isfinite(x) && std::isfinite(y)) {
        points.x.push_back(x);
        points.y.push_back(y);
        std::vector<double>& all = by_dataset[sources.methods[i].dataset];
        all.insert(all.end(), {x, y});
      }
    }
    if (!points.x.empty()) {
      chart.marks.emplace_back(std::move(points));
    }
  }
  if (by_dataset.empty()) {
    return std::nullopt;
  }
  std::string name = by_dataset.size() == 1 ? "not dominated" : "not dominated on their dataset";
  for (const auto& [dataset, points] : by_dataset) {
    plot::Line front = front_of(points);
    front.name = std::exchange(name, "");
    chart.marks.emplace_back(std::move(front));
  }
  return plot::Figure{.title = "Last records of all runs", .panels = {std::move(chart)}, .panel_width = 560};
}

}  // namespace

std::vector<std::string> absent_figures(const Sources& sources) {
  if (sources.history().size() < 2) {
    return {};
  }
  std::vector<std::string> sentences;
  const Metric* const metric = sources.headline_metric();
  if (metric == nullptr) {
    sentences.emplace_back("no overlay, spread and heat: expected test accuracies or test errors, got none");
  } else if (!heat_figure(sources)) {
    sentences.emplace_back(
        "no heat: expected at least 2 settings that take 2 to 40 values each on one dataset, got fewer");
  }
  const std::vector<const Metric*> losses = losses_of(sources);
  const std::string got =
      losses.empty() ? "none"
                     : std::to_string(losses.size()) + " (" + base::joined(losses, ", ", loss_name) + ")";
  if (losses.size() < 3) {
    sentences.push_back("no radar: expected at least 3 losses, got " + got);
  }
  if (losses.size() < 2) {
    sentences.push_back("no pareto: expected at least 2 losses, got " + got);
  } else if (!pareto(sources)) {
    sentences.push_back("no pareto: expected a run with both " + loss_name(losses[0]) + " and " +
                        loss_name(losses[1]) + ", got none");
  }
  return sentences;
}

std::vector<NamedFigure> several_figures(const Sources& sources) {
  std::vector<NamedFigure> figures;
  const auto add = [&figures](const char* name, std::optional<plot::Figure> figure) {
    if (figure) {
      figures.push_back({name, *std::move(figure)});
    }
  };
  if (const Metric* const metric = sources.headline_metric(); metric != nullptr) {
    add("overlay", overlay(sources, *metric));
    add("spread", spread(sources, *metric));
    add("heat", heat_figure(sources));
  }
  add("radar", radar(sources));
  add("pareto", pareto(sources));
  return figures;
}

}  // namespace pair::report

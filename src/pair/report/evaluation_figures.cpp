#include <algorithm>
#include <cmath>

#include "pair/plot/text.h"
#include "pair/report/figures.h"
#include "pair/runs/evaluation.h"

// The figures of a run's evaluation: scores by environment, the confusion matrix of the worst environment, and the
// columns that the model leans on.

namespace pair::report {
namespace {

using runs::Evaluation;

constexpr double longest_label = 150.0;  // px
constexpr double label_size = 11.0;      // px

std::string short_name(const std::string& name) {
  return plot::shortened(plot::clean(name), label_size, longest_label);
}

// Names at the centres of rows or columns. The first name is the highest row.
plot::Axis named_axis(std::string label, const std::vector<std::string>& names, bool downwards) {
  plot::Axis axis{.label = std::move(label)};
  const std::size_t count = names.size();
  for (std::size_t i = 0; i < count; ++i) {
    axis.ticks.push_back({static_cast<double>(downwards ? count - 1 - i : i) + 0.5, short_name(names[i])});
  }
  axis.range = std::pair(0.0, static_cast<double>(count));
  return axis;
}

double height_of(std::size_t rows) {
  constexpr double around = 130.0;
  constexpr double per_row = 26.0;
  return std::clamp(around + per_row * static_cast<double>(rows), 220.0, 1400.0);
}

plot::Figure scores_figure(const Evaluation& evaluation, const std::string& title) {
  std::vector<std::string> names;
  plot::Points held_out{.name = "held-out samples", .color = plot::Color::blue};
  plot::Points test{
      .name = "test environment", .color = plot::Color::vermillion, .shape = plot::Shape::diamond, .size = 9};
  const std::size_t count = evaluation.environments.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Evaluation::Environment& environment = evaluation.environments[i];
    plot::Points& points = environment.test ? test : held_out;
    names.push_back(environment.name);
    points.x.push_back(evaluation.regression ? environment.rmse : environment.accuracy);
    points.y.push_back(static_cast<double>(count - 1 - i) + 0.5);
  }
  plot::Chart chart{.x = {.label = evaluation.regression ? "root mean squared error" : "accuracy"},
                    .y = named_axis("", names, true),
                    .marks = {}};
  if (!evaluation.regression) {
    chart.x.range = std::pair(0.0, 1.0);
  }
  for (plot::Points* const points : {&held_out, &test}) {
    if (!points->x.empty()) {
      chart.marks.emplace_back(std::move(*points));
    }
  }
  return {.title = title, .panels = {std::move(chart)}, .panel_width = 560, .panel_height = height_of(count)};
}

std::optional<plot::Figure> confusion_figure(const Evaluation& evaluation, const std::string& title) {
  const Evaluation::Environment& worst = evaluation.environments[evaluation.worst];
  if (!worst.confusion || worst.confusion->classes.empty()) {
    return std::nullopt;
  }
  const Evaluation::Confusion& confusion = *worst.confusion;
  std::vector<std::string> truths;
  for (const std::size_t index : confusion.classes) {
    truths.push_back(evaluation.classes[index]);
  }
  std::vector<std::string> answers = truths;
  if (confusion.others) {
    answers.emplace_back("other classes");
  }
  plot::Field field{.columns = answers.size(),
                    .rows = truths.size(),
                    .x_high = static_cast<double>(answers.size()),
                    .y_high = static_cast<double>(truths.size())};
  for (std::size_t row = 0; row < truths.size(); ++row) {
    for (const std::int64_t count : confusion.counts[truths.size() - 1 - row]) {
      field.values.push_back(static_cast<double>(count));
    }
  }
  const double most = *std::ranges::max_element(field.values);
  plot::Chart chart{.title = "environment " + plot::clean(worst.name) + (worst.test ? " (test)" : ""),
                    .x = named_axis("answer", answers, false),
                    .y = named_axis("true class", truths, true),
                    .marks = {plot::HeatMap{.label = "samples",
                                            .field = std::move(field),
                                            .range = std::pair(0.0, std::max(1.0, most)),
                                            .values = true}}};
  return plot::Figure{
      .title = title,
      .panels = {std::move(chart)},
      .panel_width = std::clamp(260.0 + 60.0 * static_cast<double>(answers.size()), 420.0, 1600.0),
      .panel_height = height_of(truths.size())};
}

std::optional<plot::Figure> columns_figure(const Evaluation& evaluation, const std::string& title) {
  if (!evaluation.columns || evaluation.columns->names.empty() || evaluation.columns->environments.empty()) {
    return std::nullopt;
  }
  const Evaluation::Columns& columns = *evaluation.columns;
  std::vector<std::string> environments;
  for (const std::size_t e : columns.environments) {
    environments.push_back(evaluation.environments[e].name +
                           (evaluation.environments[e].test ? " (test)" : ""));
  }
  const auto field_of = [&](const std::vector<std::vector<double>>& values) {
    plot::Field field{.columns = environments.size(),
                      .rows = columns.names.size(),
                      .x_high = static_cast<double>(environments.size()),
                      .y_high = static_cast<double>(columns.names.size())};
    for (std::size_t row = 0; row < columns.names.size(); ++row) {
      for (const std::vector<double>& environment : values) {
        field.values.push_back(environment[columns.names.size() - 1 - row]);
      }
    }
    return field;
  };
  const auto panel = [&](std::string name, std::string bar, const std::vector<std::vector<double>>& values) {
    return plot::Chart{.title = std::move(name),
                       .x = named_axis("", environments, false),
                       .y = named_axis("", columns.names, true),
                       .marks = {plot::HeatMap{.label = std::move(bar),
                                               .field = field_of(values),
                                               .scale = plot::ColorScale::diverging,
                                               .range = std::pair(-1.0, 1.0),
                                               .values = true}}};
  };
  return plot::Figure{
      .title = title,
      .panels = {panel("share of the outputs' variation", "share", columns.share),
                 panel("agreement with the label", "correlation", columns.agreement)},
      .columns = 1,
      .panel_width = std::clamp(300.0 + 110.0 * static_cast<double>(environments.size()), 480.0, 1600.0),
      .panel_height = height_of(columns.names.size())};
}

}  // namespace

std::vector<NamedFigure> evaluation_figures(const Evaluation& evaluation, const std::string& title) {
  std::vector<NamedFigure> figures;
  figures.push_back({"environments", scores_figure(evaluation, title)});
  if (auto figure = confusion_figure(evaluation, title)) {
    figures.push_back({"confusion", std::move(*figure)});
  }
  if (auto figure = columns_figure(evaluation, title)) {
    figures.push_back({"columns", std::move(*figure)});
  }
  return figures;
}

}  // namespace pair::report

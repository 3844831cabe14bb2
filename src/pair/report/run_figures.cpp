#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "pair/plot/text.h"
#include "pair/report/figures.h"
#include "pair/report/phases.h"
#include "pair/report/series.h"

namespace pair::report {
namespace {

std::vector<double> steps_of(const select::Run& run) {
  return {run.steps.begin(), run.steps.end()};
}

std::string heading(const select::Run& run) {
  return run.algorithm + " on " + run.dataset + ", seed " + std::to_string(run.trial_seed);
}

// The part of the label that distinguishes the lines of one figure.
std::string short_label(const select::Run& run, const Metric& metric) {
  const std::string label = label_in(run, metric);
  const std::size_t comma = metric.key.starts_with("env") ? label.find(", ") : std::string::npos;
  const std::size_t dot = metric.key.find('.');
  return comma != std::string::npos ? label.substr(comma + 2)
         : dot != std::string::npos ? metric.key.substr(dot + 1)
                                    : label;
}

std::vector<plot::Mark> phase_marks(const select::Run& run, bool named) {
  std::vector<plot::Mark> marks;
  double opacity = 0.04;
  for (const Phase& phase : phases_of(run)) {
    marks.emplace_back(plot::Span{.label = named ? phase.name : "",
                                  .low = static_cast<double>(phase.from),
                                  .high = static_cast<double>(phase.to),
                                  .opacity = opacity});
    opacity += 0.06;
  }
  return marks;
}

// The objectives on held-out samples, and the bands below the noise floors of those in training, in the
// colours of the objectives' lines.
std::vector<plot::Mark> around_losses(const select::Run& run, const std::vector<plot::Line>& losses) {
  double least = HUGE_VAL;  // where bands begin: the axis is logarithmic
  for (const plot::Line& line : losses) {
    for (const double value : line.y) {
      least = value > 0.0 ? std::min(least, value) : least;
    }
  }
  std::vector<plot::Mark> marks;
  for (const plot::Line& line : losses) {
    if (const select::Column* const floor = run.find("noise_floor." + line.name)) {
      plot::Band band{.name = line.name + ", noise floor", .x = line.x, .color = line.color};
      for (const double value : floor->values) {
        band.low.push_back(std::min(value, least));
        band.high.push_back(value);
      }
      marks.emplace_back(std::move(band));
    }
  }
  for (const plot::Line& line : losses) {
    if (const select::Column* const held_out = run.find("held_out_losses." + line.name)) {
      marks.emplace_back(plot::Line{.name = line.name + ", held out",
                                    .x = line.x,
                                    .y = held_out->values,
                                    .color = line.color,
                                    .dash = line.dash,
                                    .width = 1.0,
                                    .shape = plot::Shape::circle});
    }
  }
  return marks;
}

}  // namespace

std::vector<NamedFigure> run_figures(const Sources& sources, const select::Run& run) {
  std::vector<NamedFigure> figures;
  const bool objectives = run.find("losses.erm") != nullptr;
  const auto add = [&](const char* name, Kind kind, plot::Axis y, bool named) {
    plot::Chart chart{.title = "run " + plot::clean(std::filesystem::path(run.name).filename().string()),
                      .x = {.label = "step"},
                      .y = std::move(y),
                      .marks = phase_marks(run, named)};
    const std::size_t spans = chart.marks.size();
    std::vector<plot::Line> drawn;
    for (const Metric& metric : sources.metrics) {
      const select::Column* const column = run.find(metric.key);
      if (metric.kind != kind || column == nullptr ||
          (kind == Kind::loss && objectives && !metric.key.starts_with("losses."))) {
        continue;
      }
      drawn.push_back({.name = short_label(run, metric),
                       .x = steps_of(run),
                       .y = column->values,
                       .color = plot::category(drawn.size()),
                       .dash = plot::dash(drawn.size())});
    }
    std::vector<plot::Mark> around =
        kind == Kind::loss && objectives ? around_losses(run, drawn) : std::vector<plot::Mark>{};
    std::ranges::copy(drawn, std::back_inserter(chart.marks));
    std::ranges::move(around, std::back_inserter(chart.marks));
    if (chart.marks.size() > spans) {
      figures.push_back({name, {.title = heading(run), .panels = {std::move(chart)}, .panel_width = 560}});
    }
  };
  add("losses", Kind::loss, {.label = "loss", .scale = plot::Scale::logarithmic}, false);
  add("weights", Kind::weight, {.label = "weight"}, true);
  add("divergence", Kind::divergence, {.label = "divergence"}, false);
  add("conflict", Kind::conflict, {.label = "cosine with ERM's gradient", .range = std::pair(-1.0, 1.0)},
      false);
  add("accuracy", Kind::accuracy, {.label = "accuracy"}, false);
  add("error", Kind::error, {.label = "squared error", .scale = plot::Scale::logarithmic}, false);
  add("rate", Kind::rate, {.label = "learning rate", .scale = plot::Scale::logarithmic}, false);
  add("events", Kind::count, {.label = "guarded steps so far"}, false);
  const auto evaluation = sources.evaluations.find(static_cast<std::size_t>(&run - sources.history().data()));
  if (evaluation != sources.evaluations.end()) {
    std::ranges::move(evaluation_figures(evaluation->second, heading(run)), std::back_inserter(figures));
  }
  return figures;
}

}  // namespace pair::report

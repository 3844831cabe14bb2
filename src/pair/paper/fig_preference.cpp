#include <cmath>

#include "pair/paper/release_settings.h"
#include "pair/paper/studies.h"
#include "pair/paper/study_panels.h"

// "The hyperparameter search space is restricted to a single point, i.e., a learning rate of 0.01, and a
// pretraining epoch of 150." That is `plain` here, with the paper's step; `guarded` is this project's step and
// learning rate for both datasets. The paper does not print the preferences; here, every second power of ten
// from 1e2 to 1e14, around the default (1e10, 1e12).

namespace pair::paper {
namespace preference_figure {
namespace {

using nlohmann::json;

std::vector<StudyCell> cells(const StudyRequest& request) {
  std::vector<double> preferences;
  for (int exponent = request.quick ? 4 : 2; exponent <= (request.quick ? 12 : 14);
       exponent += request.quick ? 4 : 2) {
    preferences.push_back(std::pow(10.0, exponent));
  }
  std::vector<StudyCell> all;
  for (const StudyDataset& dataset : request.quick ? std::vector{cmnist_m} : std::vector{cmnist, cmnist_m}) {
    for (const std::string& step : request.methods) {
      base::Assignments overrides = {{"pretrain", "150"}};
      if (step == "plain") {
        overrides = release_step();
        overrides.insert(overrides.end(), {{"balance_lr", "0.01"}, {"pretrain", "150"}});
      }
      for (const double irmv1 : preferences) {
        for (const double vrex : preferences) {
          base::Assignments here = overrides;
          here.emplace_back("preference", "1," + power_text(irmv1) + "," + power_text(vrex));
          all.push_back(study_cell(
              request, {{"dataset", dataset.label}, {"method", step}, {"irmv1", irmv1}, {"vrex", vrex}},
              dataset.name, "pair", here));
        }
      }
    }
  }
  return all;
}

std::string step_label(const json& step) {
  return step == "plain" ? "plain step, rate 0.01" : "guarded step, rate 0.2";
}

HeatAxis axis(const json& result, const char* label, const char* key) {
  HeatAxis axis{label, {}};
  for (const json& value : values_of(result, key)) {
    axis.names.push_back(power_text(value));
  }
  return axis;
}

plot::Figure draw(const json& result) {
  std::vector<double> all;
  for (const json& cell : result.at("cells")) {
    all.push_back(accuracy_of(cell));
  }
  plot::Figure figure{.columns = 2, .panel_width = 460, .panel_height = 400};
  for (const json& dataset : values_of(result, "dataset")) {
    for (const json& step : values_of(result, "method")) {
      std::vector<double> values;
      for (const json& cell : cells_with(result, {{"dataset", dataset}, {"method", step}})) {
        values.push_back(accuracy_of(cell));
      }
      figure.panels.emplace_back(heat_panel(
          dataset.get<std::string>() + ", " + step_label(step), axis(result, "preference for V-REx", "vrex"),
          axis(result, "preference for IRMv1", "irmv1"), std::move(values), range_of(all)));
    }
  }
  return figure;
}

std::string lines(const json& result) {
  std::string text;
  for (const json& dataset : values_of(result, "dataset")) {
    for (const json& step : values_of(result, "method")) {
      std::vector<std::vector<std::string>> table(1, {"IRMv1 \\ V-REx"});
      for (const json& vrex : values_of(result, "vrex")) {
        table[0].push_back(power_text(vrex));
      }
      for (const json& irmv1 : values_of(result, "irmv1")) {
        std::vector<std::string> line = {power_text(irmv1)};
        for (const json& cell :
             cells_with(result, {{"dataset", dataset}, {"method", step}, {"irmv1", irmv1}})) {
          line.push_back(spread_text(cell.value("accuracy", json()), 1));
        }
        table.push_back(std::move(line));
      }
      text += (text.empty() ? "" : "\n") + dataset.get<std::string>() + ", " + step_label(step) + "\n" +
              aligned(table);
    }
  }
  return text;
}

}  // namespace
}  // namespace preference_figure

Study fig_preference() {
  return {.name = "fig-preference",
          .figures = "Figures 5d and 19",
          .title = "PAIR-o under other preferences",
          .summary = "PAIR-o's accuracy by preference for IRMv1 and V-REx: heat maps",
          .seeds = "0-2",
          .methods = {"guarded", "plain"},
          .quick_cells = "CMNIST-m only, three preferences per objective",
          .about = "Worst test accuracy after the last step, in percent; ERM's preference is 1.",
          .cells = preference_figure::cells,
          .measure = worst_accuracy,
          .draw = preference_figure::draw,
          .lines = preference_figure::lines};
}

}  // namespace pair::paper

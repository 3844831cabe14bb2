#include <algorithm>
#include <cmath>
#include <limits>

#include "pair/paper/release_settings.h"
#include "pair/paper/studies.h"
#include "pair/paper/study_panels.h"

// Penalty weights and pretraining as in Appendix F.2: {1, 10, ..., 1e6} for IRMv1's and, independently,
// V-REx's weight (up to 1e12 with --wide), and {0, 50, ..., 250} steps of pretraining. A cell of IRMX is the
// best over V-REx's weights. The paper does not print IRMv1's weights; they are the same here. PAIR-o has one
// preference everywhere.

namespace pair::paper {
namespace sweep_figure {
namespace {

using nlohmann::json;

struct Grid {
  std::vector<StudyDataset> datasets;
  std::vector<std::int64_t> pretrain;
  std::vector<double> penalties;
};

Grid grid_of(const StudyRequest& request) {
  if (request.quick) {
    return {{cmnist_m}, {0, 50, 100}, {1e1, 1e3, 1e5}};
  }
  Grid grid{{cmnist, cmnist_m}, {0, 50, 100, 150, 200, 250}, {}};
  for (int exponent = 0; exponent <= (request.wide ? 12 : 6); ++exponent) {
    grid.penalties.push_back(std::pow(10.0, exponent));
  }
  return grid;
}

std::vector<StudyCell> cells(const StudyRequest& request) {
  const Grid grid = grid_of(request);
  std::vector<StudyCell> all;
  for (const StudyDataset& dataset : grid.datasets) {
    for (const std::int64_t pretrain : grid.pretrain) {
      const json place{{"dataset", dataset.label}, {"pretrain", pretrain}};
      const auto add = [&](const std::string& method, const json& weights, base::Assignments overrides) {
        if (asks_for(request, method)) {
          json here = place;
          here["method"] = method;
          here.update(weights);
          if (method != "pair") {
            for (base::Assignment& one : release_settings(std::vector<std::string>{"erm", "irmv1"})) {
              overrides.push_back(std::move(one));
            }
          }
          overrides.emplace_back("pretrain", std::to_string(pretrain));
          if (request.quick) {
            overrides.emplace_back("steps", "201");
          }
          all.push_back(study_cell(request, std::move(here), dataset.name, method, overrides));
        }
      };
      for (const double penalty : grid.penalties) {
        add("irmv1", {{"penalty", penalty}}, {{"penalty", power_text(penalty)}});
      }
      for (const double penalty : grid.penalties) {
        for (const double vrex : grid.penalties) {
          add("irmx", {{"penalty", penalty}, {"vrex_penalty", vrex}},
              {{"penalties", power_text(penalty) + "," + power_text(vrex)}});
        }
      }
      add("pair", json::object(), {});
    }
  }
  return all;
}

// The best of several cells: for IRMX, over V-REx's weights; for all, the result of exhaustive tuning.
json best_of(const std::vector<json>& cells) {
  json best;
  for (const json& cell : cells) {
    if (!std::isnan(accuracy_of(cell)) && (best.is_null() || accuracy_of(cell) > accuracy_of(best))) {
      best = cell;
    }
  }
  return best;
}

double best_accuracy(const std::vector<json>& cells) {
  const json best = best_of(cells);
  return best.is_null() ? std::numeric_limits<double>::quiet_NaN() : accuracy_of(best);
}

// Figure 8c: IRMv1 by penalty weight, one line per length of pretraining, with the deviations over seeds; and
// PAIR-o's range over the lengths of pretraining.
plot::Chart detail(const json& result, const json& dataset) {
  plot::Chart chart{.title = dataset.get<std::string>() + ", IRMv1 in detail",
                    .x = {.label = "penalty weight of IRMv1", .scale = plot::Scale::logarithmic},
                    .y = {.label = "worst test accuracy", .unit = "%"}};
  std::vector<double> penalties;
  std::size_t place = 1;  // 0 is PAIR-o's
  for (const json& pretrain : values_of(result, "pretrain")) {
    std::vector<double> x, mean, deviation;
    for (const json& cell :
         cells_with(result, {{"dataset", dataset}, {"method", "irmv1"}, {"pretrain", pretrain}})) {
      if (cell.contains("accuracy")) {
        x.push_back(cell.at("penalty"));
        mean.push_back(cell.at("accuracy").at("mean"));
        deviation.push_back(cell.at("accuracy").at("deviation"));
      }
    }
    penalties.insert(penalties.end(), x.begin(), x.end());
    add_line(chart, place++, pretrain.dump() + " steps first", x, mean, deviation, true);
  }
  std::vector<double> pair;
  for (const json& cell : cells_with(result, {{"dataset", dataset}, {"method", "pair"}})) {
    if (cell.contains("accuracy")) {
      pair.push_back(accuracy_of(cell));
    }
  }
  if (!pair.empty() && !penalties.empty()) {
    const auto [low, high] = std::minmax_element(pair.begin(), pair.end());
    const auto [left, right] = std::minmax_element(penalties.begin(), penalties.end());
    chart.marks.emplace_back(plot::Band{.name = "PAIR-o, any pretraining",
                                        .x = {*left, *right},
                                        .low = {*low, *low},
                                        .high = {*high, *high},
                                        .color = plot::category(0)});
  }
  return chart;
}

plot::Figure draw(const json& result) {
  const std::vector<json> penalties = values_of(result, "penalty");
  const std::vector<json> pretrain = values_of(result, "pretrain");
  HeatAxis x{"steps of pretraining", {}};
  for (const json& steps : pretrain) {
    x.names.push_back(steps.dump());
  }
  const std::vector<json> methods = values_of(result, "method");
  const bool pair = std::find(methods.begin(), methods.end(), "pair") != methods.end();
  struct Map {
    std::string title;
    HeatAxis y;
    std::vector<double> values;
  };
  std::vector<Map> maps;
  std::vector<double> all;
  for (const json& dataset : values_of(result, "dataset")) {
    for (const json& method : methods) {
      if (method == "pair" && methods.size() > 1) {
        continue;
      }
      const std::string label = label_of(method.get<std::string>());
      Map map{dataset.get<std::string>() + ", " + label, {"penalty weight of IRMv1", {}}, {}};
      const auto add_row = [&](const std::string& name, json place) {
        map.y.names.push_back(name);
        place["dataset"] = dataset;
        for (const json& steps : pretrain) {
          place["pretrain"] = steps;
          map.values.push_back(best_accuracy(cells_with(result, place)));
        }
      };
      if (method != "pair") {
        for (const json& penalty : penalties) {
          add_row(power_text(penalty), {{"method", method}, {"penalty", penalty}});
        }
      }
      if (pair) {
        add_row("PAIR-o", {{"method", "pair"}});
      }
      all.insert(all.end(), map.values.begin(), map.values.end());
      maps.push_back(std::move(map));
    }
  }
  plot::Figure figure{.columns = 2, .panel_width = 460, .panel_height = 400};
  for (Map& map : maps) {
    const auto rows = static_cast<double>(map.y.names.size());
    figure.panels.emplace_back(heat_panel(map.title, x, map.y, std::move(map.values), range_of(all)));
    if (pair && rows > 1) {
      // PAIR-o has no penalty weight, so its row is separate.
      std::get<plot::Chart>(figure.panels.back())
          .marks.emplace_back(plot::Line{.x = {0.0, static_cast<double>(x.names.size())},
                                         .y = {rows - 1, rows - 1},
                                         .color = plot::Color::ink,
                                         .width = 3});
    }
  }
  if (std::find(methods.begin(), methods.end(), "irmv1") != methods.end()) {
    figure.panels.emplace_back(detail(result, values_of(result, "dataset").back()));
  }
  return figure;
}

std::string setting_text(const json& cell) {
  std::string text = cell.at("pretrain").dump() + " steps first";
  if (cell.contains("penalty")) {
    text += ", penalty " + power_text(cell.at("penalty"));
  }
  if (cell.contains("vrex_penalty")) {
    text += ", V-REx " + power_text(cell.at("vrex_penalty"));
  }
  return text;
}

std::string lines(const json& result) {
  std::vector<std::vector<std::string>> table(1, {"", "settings", "best", "at", "median", "worst"});
  for (const json& dataset : values_of(result, "dataset")) {
    for (const json& method : values_of(result, "method")) {
      const std::vector<json> cells = cells_with(result, {{"dataset", dataset}, {"method", method}});
      std::vector<double> accuracies;
      for (const json& cell : cells) {
        if (const double accuracy = accuracy_of(cell); !std::isnan(accuracy)) {
          accuracies.push_back(accuracy);
        }
      }
      const json best = best_of(cells);
      if (best.is_null()) {
        continue;
      }
      std::sort(accuracies.begin(), accuracies.end());
      const auto shown = [](double value) { return spread_text(spread_json({value}), 1); };
      table.push_back({dataset.get<std::string>() + ", " + label_of(method.get<std::string>()),
                       std::to_string(cells.size()), spread_text(best.at("accuracy"), 1), setting_text(best),
                       shown(accuracies[accuracies.size() / 2]), shown(accuracies.front())});
    }
  }
  return aligned(table);
}

}  // namespace
}  // namespace sweep_figure

Study fig_sweep() {
  return {.name = "fig-sweep",
          .figures = "Figures 1d, 5a, 8, 16a and 16b",
          .title = "Penalty weights and pretraining: exhaustive tuning against PAIR-o",
          .summary = "IRMv1 and IRMX over penalty weights and pretraining, against PAIR-o: heat maps",
          .seeds = "0-2",
          .methods = {"irmv1", "irmx", "pair"},
          .wide_figures = "Figures 1d, 5a, 8, 16a, 16b and 17",
          .wide = "Penalty weights up to 1e12 instead of 1e6 (Figure 17): three times as many runs",
          .quick_cells = "CMNIST-m only, three penalty weights, three lengths of pretraining, 201 steps",
          .about =
              "Worst test accuracy after the last step, in percent. A cell of IRMX is the best over all\n"
              "weights of V-REx; the row is the weight of IRMv1.",
          .cells = sweep_figure::cells,
          .measure = worst_accuracy,
          .draw = sweep_figure::draw,
          .lines = sweep_figure::lines};
}

}  // namespace pair::paper

#include <algorithm>
#include <array>
#include <cmath>

#include "pair/paper/release_settings.h"
#include "pair/paper/studies.h"
#include "pair/runs/run_spec.h"

// "ERM, IRMv1 and VREx loss values at convergence of best performed algorithms. The plotted values are in
// log-scale and normalized to [0,1]." Here, each spoke is the logarithm from the smallest (centre) to the
// largest of the methods' losses. Methods have the settings of 'pair list algorithms', which were chosen by
// test accuracy as the paper's were, and the release's linear scheme. They also record, with weight 0, the
// objectives they do not use.

namespace pair::paper {
namespace radar_figure {
namespace {

using nlohmann::json;

constexpr std::array methods = {"erm", "irmv1", "vrex", "irmx", "pair"};
constexpr std::array objectives = {"erm", "irmv1", "vrex"};

// The method's own weights for its objectives, 0 for the others.
base::Assignments recording_all(std::string_view method, std::string_view dataset) {
  const train::Settings settings = runs::resolve(dataset, method).settings;
  if (settings.scheme == train::Scheme::pair) {
    return {};
  }
  std::string penalties;
  for (const char* const objective : {"irmv1", "vrex"}) {
    const auto& own = settings.objectives;
    const bool weighed = std::find(own.begin(), own.end(), objective) != own.end();
    penalties += (penalties.empty() ? "" : ",") + (weighed ? power_text(settings.penalty) : "0");
  }
  base::Assignments overrides = {{"objectives", "erm,irmv1,vrex"}, {"penalties", penalties}};
  for (base::Assignment& one : release_settings(settings.objectives)) {
    overrides.push_back(std::move(one));
  }
  return overrides;
}

std::vector<StudyCell> cells(const StudyRequest& request) {
  std::vector<StudyCell> all;
  for (const StudyDataset& dataset : request.quick ? std::vector{cmnist_m} : std::vector{cmnist, cmnist_m}) {
    for (const std::string& method : request.methods) {
      all.push_back(study_cell(request, {{"dataset", dataset.label}, {"method", method}}, dataset.name,
                               method, recording_all(method, dataset.name)));
    }
  }
  return all;
}

json measure(std::span<const sweep::RunOutcome> runs) {
  json result = worst_accuracy(runs);
  for (const char* const objective : objectives) {
    std::vector<double> logarithms;
    for (const sweep::RunOutcome& run : runs) {
      // A loss of 0 has no logarithm.
      constexpr double least = 1e-30;
      logarithms.push_back(std::log10(std::max(run.record.at("losses").at(objective).get<double>(), least)));
    }
    result["log10_losses"][objective] = spread_json(logarithms);
  }
  return result;
}

double log_loss(const json& cell, const char* objective) {
  return cell.at("log10_losses").at(objective).at("mean");
}

plot::Figure draw(const json& result) {
  plot::Figure figure{.columns = 2, .panel_width = 420, .panel_height = 420};
  for (const json& dataset : values_of(result, "dataset")) {
    plot::Radar radar{.title = dataset.get<std::string>(), .most = 1.0};
    std::vector<json> shown = cells_with(result, {{"dataset", dataset}});
    std::erase_if(shown, [](const json& cell) { return !cell.contains("log10_losses"); });
    for (const json& cell : shown) {
      const std::string method = cell.at("method");
      radar.series.push_back(
          {label_of(method), {}, plot::category(place_of(method)), plot::dash(place_of(method))});
    }
    for (const char* const objective : objectives) {
      radar.spokes.push_back(label_of(objective));
      std::vector<double> values;
      std::transform(shown.begin(), shown.end(), std::back_inserter(values),
                     [&](const json& cell) { return log_loss(cell, objective); });
      if (values.empty()) {
        continue;
      }
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      for (std::size_t i = 0; i < values.size(); ++i) {
        radar.series[i].values.push_back(*high > *low ? (values[i] - *low) / (*high - *low) : 1.0);
      }
    }
    figure.panels.emplace_back(std::move(radar));
  }
  return figure;
}

std::string lines(const json& result) {
  std::vector<std::vector<std::string>> table(1, {"", "lg ERM", "lg IRMv1", "lg V-REx", "worst accuracy"});
  for (const json& cell : result.at("cells")) {
    if (!cell.contains("log10_losses")) {
      continue;
    }
    std::vector<std::string> line = {cell.at("dataset").get<std::string>() + ", " +
                                     label_of(cell.at("method").get<std::string>())};
    for (const char* const objective : objectives) {
      line.push_back(spread_text(cell.at("log10_losses").at(objective), 2));
    }
    line.push_back(spread_text(cell.at("accuracy"), 1));
    table.push_back(std::move(line));
  }
  return aligned(table);
}

}  // namespace
}  // namespace radar_figure

Study fig_radar() {
  return {
      .name = "fig-radar",
      .figures = "Figures 5c, 16c and 16d",
      .title = "Final losses, normalised logarithms",
      .summary = "Final ERM, IRMv1 and V-REx losses of each method, normalised: radar",
      .seeds = "0-4",
      .methods = {radar_figure::methods.begin(), radar_figure::methods.end()},
      .quick_cells = "CMNIST-m only",
      .about =
          "lg is the logarithm to base 10. In the figure, each spoke goes from the smallest of the methods'\n"
          "logarithms (0, the centre) to the largest (1).",
      .cells = radar_figure::cells,
      .measure = radar_figure::measure,
      .draw = radar_figure::draw,
      .lines = radar_figure::lines};
}

}  // namespace pair::paper

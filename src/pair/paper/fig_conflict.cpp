#include <array>
#include <cmath>

#include "pair/paper/release_settings.h"
#include "pair/paper/studies.h"
#include "pair/paper/study_panels.h"
#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"

// The paper compares the gradients of the first 50 epochs after pretraining. It does not state the dataset,
// the penalty weights, the length of pretraining and which parameters' gradients are compared. Here: both
// ColoredMNISTs, the weights searched in Appendix F.1, 150 steps, and all parameters, since IB's gradient at
// the head is 0.

namespace pair::paper {
namespace conflict_figure {
namespace {

using nlohmann::json;

constexpr std::int64_t compared = 50;  // steps after pretraining
constexpr std::array objectives = {"irmv1", "vrex", "ib", "iga", "fishr", "clove", "sd"};

std::vector<StudyCell> cells(const StudyRequest& request) {
  const std::vector<double> penalties =
      request.quick ? std::vector{1e1, 1e3, 1e5} : std::vector{1e1, 1e2, 1e3, 1e4, 1e5};
  const std::int64_t pretrain = request.quick ? 100 : 150;
  std::vector<StudyCell> all;
  for (const StudyDataset& dataset : request.quick ? std::vector{cmnist} : std::vector{cmnist, cmnist_m}) {
    for (const std::string& objective : request.methods) {
      for (const double penalty : penalties) {
        base::Assignments overrides = {{"objectives", "erm," + objective},
                                       {"penalty", power_text(penalty)},
                                       {"refresh", "false"},
                                       {"conflict", "true"},
                                       {"gradients", "f"},
                                       {"eval_every", "1"},
                                       {"pretrain", std::to_string(pretrain)},
                                       {"steps", std::to_string(pretrain + compared)}};
        for (base::Assignment& one : release_settings(std::vector<std::string>{"erm", objective})) {
          overrides.push_back(std::move(one));
        }
        // The cosines of CLOvE's runs are those of the 512 samples, too; irmx has other defaults there.
        all.push_back(study_cell(request,
                                 {{"dataset", dataset.label}, {"method", objective}, {"penalty", penalty}},
                                 dataset.name, objective == "clove" ? "clove" : "irmx", overrides));
      }
    }
  }
  return all;
}

json measure(std::span<const sweep::RunOutcome> runs) {
  std::vector<double> means;
  for (const sweep::RunOutcome& run : runs) {
    const auto pretrain = run.record.at("hparams").at("pretrain").get<std::int64_t>();
    double sum = 0.0;
    double count = 0.0;
    for (const json& record : runs::read_records(runs::results_file(run.directory))) {
      if (record.at("step").get<std::int64_t>() > pretrain && record.contains("conflict")) {
        const json& cosine = record.at("conflict").front();
        // Null if a gradient vanished.
        if (cosine.is_number()) {
          sum += cosine.get<double>();
          count += 1.0;
        }
      }
    }
    means.push_back(sum / count);
  }
  return {{"cosine", spread_json(means)}};
}

plot::Figure draw(const json& result) {
  plot::Figure figure{.columns = 2, .panel_width = 460, .panel_height = 400};
  for (const json& dataset : values_of(result, "dataset")) {
    plot::Chart chart{.title = dataset.get<std::string>(),
                      .x = {.label = "penalty weight", .scale = plot::Scale::logarithmic},
                      .y = {.label = "cosine with ERM's gradient", .range = std::pair(-1.0, 1.0)}};
    for (const json& method : values_of(result, "method")) {
      std::vector<double> x, mean, deviation;
      for (const json& cell : cells_with(result, {{"dataset", dataset}, {"method", method}})) {
        if (cell.contains("cosine") && cell.at("cosine").at("mean").is_number()) {
          x.push_back(cell.at("penalty"));
          mean.push_back(cell.at("cosine").at("mean"));
          deviation.push_back(cell.at("cosine").at("deviation"));
        }
      }
      add_line(chart, place_of(method.get<std::string>()), label_of(method.get<std::string>()), x, mean,
               deviation, true);
    }
    figure.panels.emplace_back(std::move(chart));
  }
  return figure;
}

std::string lines(const json& result) {
  std::string text;
  const std::vector<json> penalties = values_of(result, "penalty");
  for (const json& dataset : values_of(result, "dataset")) {
    std::vector<std::vector<std::string>> table(1, {dataset.get<std::string>()});
    for (const json& penalty : penalties) {
      table[0].push_back("penalty " + power_text(penalty));
    }
    for (const json& method : values_of(result, "method")) {
      std::vector<std::string> line = {label_of(method.get<std::string>())};
      for (const json& cell : cells_with(result, {{"dataset", dataset}, {"method", method}})) {
        line.push_back(spread_text(cell.value("cosine", json()), 2));
      }
      table.push_back(std::move(line));
    }
    text += (text.empty() ? "" : "\n") + aligned(table);
  }
  return text;
}

}  // namespace
}  // namespace conflict_figure

Study fig_conflict() {
  return {
      .name = "fig-conflict",
      .figures = "Figure 1b",
      .title = "Gradient conflict of ERM with OOD objectives",
      .summary = "Cosine of ERM's gradient with each OOD objective's, by penalty weight",
      .seeds = "0-4",
      .methods = {conflict_figure::objectives.begin(), conflict_figure::objectives.end()},
      .quick_cells = "CMNIST only, three penalty weights, 100 steps of pretraining",
      .about = "Means over the 50 steps after pretraining, over all parameters; below 0, the two conflict.",
      .cells = conflict_figure::cells,
      .measure = conflict_figure::measure,
      .draw = conflict_figure::draw,
      .lines = conflict_figure::lines};
}

}  // namespace pair::paper

#include <algorithm>
#include <array>
#include <cmath>

#include "pair/paper/release_settings.h"
#include "pair/paper/studies.h"
#include "pair/paper/study_panels.h"
#include "pair/runs/file.h"
#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"

// Every method starts from an ERM model trained on the dataset's gray twin with the same seed. That is a
// separate run, which the others name as their start (RunSpec::start). Then SGD at learning rate 1e-3 with
// penalty weight 1e5 and no pretraining.

namespace pair::paper {
namespace perfect_init_figure {
namespace {

using nlohmann::json;

constexpr StudyDataset cmnist_10{"cmnist-10", "CMNIST-10"};
constexpr StudyDataset cmnist_11{"cmnist-11", "CMNIST-11"};
constexpr StudyDataset cmnist_25{"cmnist", "CMNIST-25"};
constexpr std::array methods = {"pair", "irmv1", "vrex", "irmx", "iga", "erm"};

std::vector<StudyDataset> datasets(const StudyRequest& request) {
  return request.quick ? std::vector{cmnist_10} : std::vector{cmnist_10, cmnist_11, cmnist_25};
}

std::vector<runs::RunSpec> gray(const StudyRequest& request, const StudyDataset& dataset) {
  return on_every_seed(request, std::string(dataset.name) + "-gray", "erm", {});
}

std::vector<runs::RunSpec> first(const StudyRequest& request) {
  std::vector<runs::RunSpec> all;
  for (const StudyDataset& dataset : datasets(request)) {
    const std::vector<runs::RunSpec> specs = gray(request, dataset);
    all.insert(all.end(), specs.begin(), specs.end());
  }
  return all;
}

base::Assignments settings_of(const std::string& method) {
  base::Assignments settings = {{"pretrain", "0"}, {"eval_every", "10"}};
  if (method == "pair") {
    settings.insert(settings.end(), {{"balance_lr", "1e-3"}, {"momentum", "0"}, {"decay", "none"}});
  } else {
    settings.insert(settings.end(), {{"optimizer", "sgd"}, {"lr", "1e-3"}, {"l2", "0"}});
    if (method != "erm") {
      settings.emplace_back("penalty", "1e5");
      const std::vector<std::string> objectives = runs::resolve("cmnist", method).settings.objectives;
      for (base::Assignment& one : release_settings(objectives)) {
        settings.push_back(std::move(one));
      }
    }
  }
  return settings;
}

std::vector<StudyCell> cells(const StudyRequest& request) {
  std::vector<StudyCell> all;
  for (const StudyDataset& dataset : datasets(request)) {
    const std::vector<runs::RunSpec> starts = gray(request, dataset);
    for (const std::string& method : request.methods) {
      StudyCell cell = study_cell(request, {{"dataset", dataset.label}, {"method", method}}, dataset.name,
                                  method, settings_of(method));
      for (std::size_t i = 0; i < cell.specs.size(); ++i) {
        cell.specs[i].start = runs::folder_name(starts[i]);
      }
      all.push_back(std::move(cell));
    }
  }
  return all;
}

// The run's records, starting with the last record of the run that it starts from, as step 0.
std::vector<json> records_from_start(const std::filesystem::path& directory) {
  const json spec = json::parse(runs::read_file(runs::spec_file(directory)));
  const std::filesystem::path start = directory.parent_path() / spec.at("start").get<std::string>();
  std::vector<json> records = {runs::read_records(runs::results_file(start)).back()};
  records.front()["step"] = 0;
  for (json& record : runs::read_records(runs::results_file(directory))) {
    records.push_back(std::move(record));
  }
  return records;
}

// Mean and standard deviation over the runs, per record.
json measure(std::span<const sweep::RunOutcome> runs) {
  std::vector<std::vector<double>> accuracies;
  json steps = json::array();
  for (const sweep::RunOutcome& run : runs) {
    std::size_t at = 0;
    for (const json& record : records_from_start(run.directory)) {
      if (at == accuracies.size()) {
        accuracies.emplace_back();
        steps.push_back(record.at("step"));
      }
      accuracies[at++].push_back(100.0 * record.at("worst_test_acc").get<double>());
    }
  }
  json result = worst_accuracy(runs);
  json mean = json::array();
  json deviation = json::array();
  for (const std::vector<double>& values : accuracies) {
    const json spread = spread_json(values);
    mean.push_back(spread.at("mean"));
    deviation.push_back(spread.at("deviation"));
  }
  result["series"] = {{"step", steps}, {"mean", mean}, {"deviation", deviation}};
  return result;
}

plot::Figure draw(const json& result) {
  plot::Figure figure{.columns = 3, .panel_width = 420, .panel_height = 360};
  for (const json& dataset : values_of(result, "dataset")) {
    plot::Chart chart{.title = dataset.get<std::string>(),
                      .x = {.label = "step"},
                      .y = {.label = "worst test accuracy", .unit = "%"}};
    for (const json& cell : cells_with(result, {{"dataset", dataset}})) {
      if (cell.contains("series")) {
        const json& series = cell.at("series");
        const std::string method = cell.at("method");
        add_line(chart, place_of(method), label_of(method), series.at("step"), series.at("mean"),
                 series.at("deviation"), false);
      }
    }
    figure.panels.emplace_back(std::move(chart));
  }
  return figure;
}

std::string lines(const json& result) {
  std::vector<std::string> head = {""};
  for (const json& dataset : values_of(result, "dataset")) {
    head.push_back(dataset);
  }
  return accuracy_table(result, std::move(head));
}

}  // namespace
}  // namespace perfect_init_figure

Study fig_perfect_init() {
  return {.name = "fig-perfect-init",
          .figures = "Figure 20",
          .title = "From a model trained on gray data",
          .summary = "Whether methods that start from a model trained on gray data keep its accuracy",
          .seeds = "0-4",
          .methods = {perfect_init_figure::methods.begin(), perfect_init_figure::methods.end()},
          .quick_cells = "CMNIST-10 only",
          .about = "Worst test accuracy after the last step, in percent.",
          .cells = perfect_init_figure::cells,
          .first = perfect_init_figure::first,
          .measure = perfect_init_figure::measure,
          .draw = perfect_init_figure::draw,
          .lines = perfect_init_figure::lines};
}

}  // namespace pair::paper

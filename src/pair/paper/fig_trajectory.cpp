#include <algorithm>
#include <cmath>

#include "pair/paper/studies.h"
#include "pair/report/phases.h"
#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"

// PAIR-o with the settings of 'pair list algorithms', one record per step. The paper does not say which run
// is shown; here it is the mean over seeds.

namespace pair::paper {
namespace trajectory_figure {
namespace {

using nlohmann::json;

std::vector<StudyCell> cells(const StudyRequest& request) {
  std::vector<StudyCell> all;
  for (const StudyDataset& dataset : {cmnist, cmnist_m}) {
    all.push_back(study_cell(request, {{"dataset", dataset.label}, {"method", "pair"}}, dataset.name, "pair",
                             {{"eval_every", "1"}}));
  }
  return all;
}

struct Series {
  std::vector<double> steps;
  select::Run mean;  // over the runs: weights.erm, losses.erm, ..., accuracy, balancing
  std::vector<std::string> objectives;
};

Series series_of(std::span<const sweep::RunOutcome> runs) {
  Series series;
  series.objectives = runs.front().record.at("hparams").at("objectives").get<std::vector<std::string>>();
  const auto share = 1.0 / static_cast<double>(runs.size());
  for (const sweep::RunOutcome& run : runs) {
    std::size_t at = 0;
    for (const json& record : runs::read_records(runs::results_file(run.directory))) {
      std::vector<std::pair<std::string, double>> values = {
          {"accuracy", 100.0 * record.at("worst_test_acc").get<double>()},
          {"balancing", record.at("phase") == "balance" ? 1.0 : 0.0}};
      for (const std::string& objective : series.objectives) {
        for (const char* const kind : {"weights", "losses"}) {
          const json& value = record.at(kind).at(objective);
          values.emplace_back(std::string(kind) + "." + objective,
                              value.is_number() ? value.get<double>() : std::nan(""));
        }
      }
      if (&run == &runs.front()) {
        series.steps.push_back(record.at("step"));
        for (auto& [key, value] : values) {
          value *= share;
        }
        series.mean.add(record.at("step"), values);
      } else {
        for (const auto& value : values) {
          const auto column =
              std::find_if(series.mean.columns.begin(), series.mean.columns.end(),
                           [&value](const select::Column& one) { return one.key == value.first; });
          column->values.at(at) += share * value.second;
        }
      }
      ++at;
    }
  }
  return series;
}

json measure(std::span<const sweep::RunOutcome> runs) {
  Series series = series_of(runs);
  // Every run balances from the same step.
  for (select::Column& column : series.mean.columns) {
    if (column.key == "balancing") {
      std::for_each(column.values.begin(), column.values.end(),
                    [](double& value) { value = std::round(value); });
    }
  }
  json phases = json::array();
  for (const report::Phase& phase : report::phases_of(series.mean)) {
    phases.push_back({{"name", phase.name}, {"from", phase.from}, {"to", phase.to}});
  }
  json result = worst_accuracy(runs);
  result["phases"] = phases;
  json& over_time = result["series"] = {{"step", series.steps},
                                        {"worst_test_accuracy", series.mean.find("accuracy")->values}};
  for (const std::string& objective : series.objectives) {
    over_time["weights"][objective] = series.mean.find("weights." + objective)->values;
    over_time["losses"][objective] = series.mean.find("losses." + objective)->values;
  }
  result["objectives"] = series.objectives;
  return result;
}

// The solver's weights jump between corners of the simplex; their mean over several steps shows their effect.
constexpr std::size_t smoothed = 15;

// Only over values on the same side of `boundary`.
std::vector<double> running_mean(const std::vector<double>& values, std::size_t boundary) {
  std::vector<double> means;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t from = i < boundary ? 0 : boundary;
    const std::size_t to = i < boundary ? boundary : values.size();
    const std::size_t first = std::max(from, i >= smoothed / 2 ? i - smoothed / 2 : 0);
    const std::size_t last = std::min(to, i + smoothed / 2 + 1);
    double sum = 0.0;
    for (std::size_t k = first; k < last; ++k) {
      sum += values[k];
    }
    means.push_back(sum / static_cast<double>(last - first));
  }
  return means;
}

std::vector<plot::Mark> phase_marks(const json& cell, bool named) {
  std::vector<plot::Mark> marks;
  double opacity = 0.04;
  for (const json& phase : cell.at("phases")) {
    marks.emplace_back(plot::Span{.label = named ? phase.at("name").get<std::string>() : "",
                                  .low = phase.at("from"),
                                  .high = phase.at("to"),
                                  .opacity = opacity});
    opacity += 0.06;
  }
  return marks;
}

// null in JSON means not finite.
std::vector<double> numbers(const json& list) {
  std::vector<double> values;
  for (const json& value : list) {
    values.push_back(value.is_number() ? value.get<double>() : std::nan(""));
  }
  return values;
}

plot::Chart panel(const json& cell, const std::string& title, const char* kind, plot::Axis y) {
  const json& series = cell.at("series");
  const bool weights = std::string_view(kind) == "weights";
  plot::Chart chart{
      .title = title, .x = {.label = "step"}, .y = std::move(y), .marks = phase_marks(cell, weights)};
  const std::vector<double> steps = numbers(series.at("step"));
  const double balance = cell.at("phases").empty() ? 0.0 : cell.at("phases").front().at("to").get<double>();
  const auto boundary =
      static_cast<std::size_t>(std::lower_bound(steps.begin(), steps.end(), balance) - steps.begin());
  for (const json& objective : cell.at("objectives")) {
    const std::size_t place = place_of(objective.get<std::string>());
    const std::vector<double> values = numbers(series.at(kind).at(objective.get<std::string>()));
    chart.marks.emplace_back(plot::Line{.name = label_of(objective.get<std::string>()),
                                        .x = steps,
                                        .y = weights ? running_mean(values, boundary) : values,
                                        .color = plot::category(place),
                                        .dash = plot::dash(place)});
  }
  return chart;
}

plot::Figure draw(const json& result) {
  plot::Figure figure{.columns = 2, .panel_width = 560, .panel_height = 330};
  for (const json& cell : result.at("cells")) {
    if (!cell.contains("series")) {
      continue;
    }
    const std::string dataset = cell.at("dataset");
    figure.panels.emplace_back(panel(
        cell, dataset + ", weights (mean of " + std::to_string(smoothed) + " steps)", "weights",
        {.label = "weight", .range = std::pair(0.0, 1.15), .ticks = {{0, "0"}, {0.5, "0.5"}, {1, "1"}}}));
    figure.panels.emplace_back(
        panel(cell, dataset + ", losses", "losses", {.label = "loss", .scale = plot::Scale::logarithmic}));
  }
  return figure;
}

std::string lines(const json& result) {
  std::vector<std::vector<std::string>> table(
      1, {"", "phase", "from step", "to", "ERM", "IRMv1", "V-REx", "worst accuracy at its end"});
  for (const json& cell : result.at("cells")) {
    if (!cell.contains("series")) {
      continue;
    }
    const json& series = cell.at("series");
    const std::vector<double> steps = numbers(series.at("step"));
    for (const json& phase : cell.at("phases")) {
      std::vector<std::string> line = {cell.at("dataset"), phase.at("name"), phase.at("from").dump(),
                                       phase.at("to").dump()};
      for (const json& objective : cell.at("objectives")) {
        const std::vector<double> weights = numbers(series.at("weights").at(objective.get<std::string>()));
        std::vector<double> inside;
        for (std::size_t i = 0; i < steps.size(); ++i) {
          if (steps[i] >= phase.at("from").get<double>() && steps[i] < phase.at("to").get<double>()) {
            inside.push_back(weights[i]);
          }
        }
        line.push_back(spread_text({{"mean", spread_json(inside).at("mean")}, {"values", {0}}}, 2));
      }
      const auto end = std::find(steps.begin(), steps.end(), phase.at("to").get<double>());
      const auto place = static_cast<std::size_t>(end - steps.begin());
      line.push_back(spread_text(spread_json({series.at("worst_test_accuracy").at(place).get<double>()}), 1));
      table.push_back(std::move(line));
    }
  }
  return aligned(table);
}

}  // namespace
}  // namespace trajectory_figure

Study fig_trajectory() {
  return {.name = "fig-trajectory",
          .figures = "Figures 5b and 18",
          .title = "PAIR-o's weights and losses over time",
          .summary = "PAIR-o's weights and losses over time, with the three phases",
          .seeds = "0",
          .methods = {},
          .about =
              "Weights are means over the phase. Fitting is ERM only; Generalization begins when the OOD\n"
              "objectives together have more than half of the weight for good.",
          .cells = trajectory_figure::cells,
          .measure = trajectory_figure::measure,
          .draw = trajectory_figure::draw,
          .lines = trajectory_figure::lines};
}

}  // namespace pair::paper

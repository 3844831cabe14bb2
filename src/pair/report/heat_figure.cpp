#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "pair/plot/text.h"
#include "pair/report/figures.h"
#include "pair/report/ranking.h"
#include "pair/report/series.h"

namespace pair::report {
namespace {

// The values of a setting: numbers in order, then texts in alphabetical order.
struct Dimension {
  std::string name;
  std::vector<std::string> values;

  [[nodiscard]] std::ptrdiff_t place(const select::Run& run) const {
    const std::string_view value = run.setting(name);
    return value.empty() ? -1 : std::find(values.begin(), values.end(), value) - values.begin();
  }
};

std::pair<double, std::string> sort_key(const std::string& value) {
  const nlohmann::json parsed = nlohmann::json::parse(value, nullptr, false);
  return {parsed.is_number() ? parsed.get<double>() : HUGE_VAL, value};
}

using RunsOfDataset = std::vector<const select::Run*>;

std::vector<Dimension> dimensions_of(const RunsOfDataset& runs) {
  constexpr std::size_t most = 40;
  std::map<std::string, std::set<std::string>> values;
  for (const select::Run* const run : runs) {
    for (const auto& [name, value] : run->hparams) {
      values[name].insert(value);
    }
  }
  std::vector<Dimension> dimensions;
  for (const auto& [name, all] : values) {
    if (all.size() > 1 && all.size() <= most) {
      Dimension dimension{name, {all.begin(), all.end()}};
      std::sort(dimension.values.begin(), dimension.values.end(),
                [](const std::string& a, const std::string& b) { return sort_key(a) < sort_key(b); });
      dimensions.push_back(std::move(dimension));
    }
  }
  return dimensions;
}

plot::Axis axis_of(const Dimension& dimension) {
  plot::Axis axis{.label = dimension.name};
  for (std::size_t i = 0; i < dimension.values.size(); ++i) {
    axis.ticks.push_back({static_cast<double>(i) + 0.5, dimension.values[i]});
  }
  return axis;
}

// The runs of one dataset.
std::optional<plot::Chart> heat_map(const RunsOfDataset& runs, const Metric& metric) {
  const std::vector<Dimension> dimensions = dimensions_of(runs);
  if (dimensions.size() < 2) {
    return std::nullopt;
  }
  const Dimension& x = dimensions[0];
  const Dimension& y = dimensions[1];
  plot::Field field{.columns = x.values.size(),
                    .rows = y.values.size(),
                    .x_high = static_cast<double>(x.values.size()),
                    .y_high = static_cast<double>(y.values.size())};
  std::vector<std::vector<double>> cells(field.columns * field.rows);
  for (const select::Run* const run : runs) {
    const std::ptrdiff_t column = x.place(*run);
    const std::ptrdiff_t row = y.place(*run);
    if (column >= 0 && row >= 0) {
      cells[static_cast<std::size_t>(row) * field.columns + static_cast<std::size_t>(column)].push_back(
          last_of(run->find(metric.key)));
    }
  }
  for (const std::vector<double>& cell : cells) {
    const Spread spread = spread_of(cell);
    field.values.push_back(spread.runs > 0 ? spread.mean : std::nan(""));
  }
  if (std::all_of(field.values.begin(), field.values.end(), [](double value) { return std::isnan(value); })) {
    return std::nullopt;
  }
  return plot::Chart{
      .x = axis_of(x),
      .y = axis_of(y),
      .marks = {plot::HeatMap{.label = metric.label, .field = std::move(field), .values = true}}};
}

}  // namespace

std::optional<plot::Figure> heat_figure(const Sources& sources) {
  std::map<std::string, RunsOfDataset> by_dataset;
  for (const select::Run& run : sources.history()) {
    by_dataset[run.dataset].push_back(&run);
  }
  const std::vector<Ranking> rankings = rankings_of(sources);
  plot::Figure figure{
      .title = "Mean of the last records", .columns = 1, .panel_width = 620, .panel_height = 420};
  for (const auto& [dataset, runs] : by_dataset) {
    const auto ranking = std::ranges::find(rankings, dataset, &Ranking::dataset);
    if (ranking == rankings.end()) {
      continue;
    }
    if (std::optional<plot::Chart> chart = heat_map(runs, *ranking->metric)) {
      chart->title = by_dataset.size() > 1 ? plot::clean(dataset) : "";
      figure.panels.emplace_back(*std::move(chart));
    }
  }
  return figure.panels.empty() ? std::nullopt : std::optional(std::move(figure));
}

}  // namespace pair::report

#include "pair/report/series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "pair/report/number.h"

namespace pair::report {

std::vector<std::size_t> shown_records(std::size_t count, std::size_t most) {
  std::vector<std::size_t> records(std::min(count, most));
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i] = count <= most ? i : i * (count - 1) / (most - 1);
  }
  return records;
}

nlohmann::json series_of(const select::Run& run, std::span<const Metric> metrics, std::size_t most) {
  const std::vector<std::size_t> records = shown_records(run.records(), most);
  nlohmann::json series = nlohmann::json::object();
  nlohmann::json& steps = series["step"] = nlohmann::json::array();
  for (const std::size_t record : records) {
    steps.push_back(run.steps[record]);
  }
  for (const Metric& metric : metrics) {
    const select::Column* const column = run.find(metric.key);
    if (column == nullptr) {
      continue;
    }
    std::vector<double> values;
    values.reserve(records.size());
    for (const std::size_t record : records) {
      values.push_back(column->values[record]);
    }
    const bool constant = values.size() > 1 && std::all_of(values.begin(), values.end(),
                                                           [&](double value) { return value == values[0]; });
    series[metric.key] = constant ? number(values[0]) : numbers(values);
  }
  return series;
}

double last_of(const select::Column* column) {
  if (column != nullptr) {
    const auto last = std::find_if(column->values.rbegin(), column->values.rend(),
                                   [](double value) { return !std::isnan(value); });
    if (last != column->values.rend()) {
      return *last;
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace pair::report

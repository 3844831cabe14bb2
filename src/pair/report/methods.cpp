#include "pair/report/methods.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "pair/base/statistics.h"
#include "pair/report/series.h"
#include "pair/select/catalog.h"

namespace pair::report {

std::vector<Method> methods_of(const select::History& history) {
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> runs;
  std::vector<std::string> datasets;
  for (std::size_t i = 0; i < history.size(); ++i) {
    runs[{history[i].dataset, history[i].algorithm}].push_back(i);
    datasets.push_back(history[i].dataset);
  }
  datasets = select::datasets_in_order(std::move(datasets));
  const std::vector<std::string> algorithms = select::algorithms_in_order(history);
  std::vector<Method> methods;
  for (const std::string& dataset : datasets) {
    for (const std::string& algorithm : algorithms) {
      const auto found = runs.find({dataset, algorithm});
      if (found == runs.end()) {
        continue;
      }
      std::set<std::int64_t> seeds;
      for (const std::size_t run : found->second) {
        seeds.insert(history[run].trial_seed);
      }
      methods.push_back({datasets.size() > 1 ? algorithm + " on " + dataset : algorithm, dataset, algorithm,
                         found->second, seeds.size()});
    }
  }
  return methods;
}

bool have_several_datasets(std::span<const Method> methods) {
  return !methods.empty() && methods.front().dataset != methods.back().dataset;
}

Curve curve_of(const select::History& history, const Method& method, const Metric& metric,
               std::size_t points) {
  struct Sum {
    double sum = 0.0, low = 0.0, high = 0.0;
    std::size_t count = 0;
  };
  std::map<std::int64_t, Sum> sums;
  for (const std::size_t index : method.runs) {
    const select::Run& run = history[index];
    const select::Column* const column = run.find(metric.key);
    if (column == nullptr) {
      continue;
    }
    auto hint = sums.begin();
    for (std::size_t record = 0; record < run.records(); ++record) {
      const double value = column->values[record];
      if (!std::isfinite(value)) {
        continue;
      }
      hint = sums.try_emplace(hint, run.steps[record]);
      Sum& sum = hint->second;
      sum.low = sum.count == 0 ? value : std::min(sum.low, value);
      sum.high = sum.count == 0 ? value : std::max(sum.high, value);
      sum.sum += value;
      ++sum.count;
      ++hint;
    }
  }
  std::size_t most = 0;
  for (const auto& [step, sum] : sums) {
    most = std::max(most, sum.count);
  }
  std::erase_if(sums, [most](const auto& entry) { return 2 * entry.second.count < most; });
  Curve curve;
  auto next = sums.begin();
  std::size_t at = 0;
  for (const std::size_t record : shown_records(sums.size(), points)) {
    std::advance(next, record - at);
    at = record;
    const auto& [step, sum] = *next;
    curve.steps.push_back(step);
    curve.mean.push_back(sum.sum / static_cast<double>(sum.count));
    curve.low.push_back(sum.low);
    curve.high.push_back(sum.high);
  }
  return curve;
}

Spread spread_of(std::span<const double> values) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](double value) { return std::isfinite(value); });
  Spread spread;
  if (finite.empty()) {
    return spread;
  }
  const auto [mean, deviation] = base::mean_and_deviation(finite, base::Deviation::sample);
  const auto [least, most] = std::minmax_element(finite.begin(), finite.end());
  spread.mean = mean;
  spread.deviation = deviation;
  spread.least = *least;
  spread.most = *most;
  spread.runs = finite.size();
  return spread;
}

Spread last_spread(const select::History& history, const Method& method, const Metric& metric) {
  std::vector<double> values;
  for (const std::size_t run : method.runs) {
    values.push_back(last_of(history[run].find(metric.key)));
  }
  return spread_of(values);
}

}  // namespace pair::report

#include "pair/report/ranking.h"

#include <algorithm>

namespace pair::report {
namespace {

Ranking ranking_by(const Metric& metric, const std::string& dataset, const Sources& sources) {
  Ranking ranking{dataset, &metric, {}};
  for (const Method& method : sources.methods) {
    if (method.dataset != dataset) {
      continue;
    }
    if (const Spread spread = last_spread(sources.history(), method, metric); spread.runs > 0) {
      ranking.methods.emplace_back(&method, spread);
    }
  }
  const bool high = metric.better() == "high";
  std::stable_sort(ranking.methods.begin(), ranking.methods.end(), [high](const auto& a, const auto& b) {
    return high ? a.second.mean > b.second.mean : a.second.mean < b.second.mean;
  });
  return ranking;
}

}  // namespace

std::vector<Ranking> rankings_of(const Sources& sources) {
  std::vector<Ranking> rankings;
  std::string last;
  for (const Method& method : sources.methods) {
    if (&method != &sources.methods.front() && method.dataset == last) {
      continue;
    }
    last = method.dataset;
    for (const std::string_view key : {worst_accuracy, worst_error}) {
      const auto metric = std::ranges::find(sources.metrics, key, &Metric::key);
      if (metric == sources.metrics.end()) {
        continue;
      }
      if (Ranking ranking = ranking_by(*metric, method.dataset, sources); !ranking.methods.empty()) {
        rankings.push_back(std::move(ranking));
        break;
      }
    }
  }
  return rankings;
}

}  // namespace pair::report

#include "pair/report/ranking.h"

#include <algorithm>
#include <map>

#include "pair/base/tables.h"
#include "pair/select/catalog.h"

namespace pair::report {
namespace {

using TestEnvironments = std::vector<int>;  // sorted

TestEnvironments sorted_test_environments(const select::Run& run) {
  TestEnvironments sorted = run.test_envs;
  std::ranges::sort(sorted);
  return sorted;
}

// The sets on a dataset, each with the first run that has it.
std::map<TestEnvironments, const select::Run*> test_environments_on(const std::string& dataset,
                                                                    const select::History& history) {
  std::map<TestEnvironments, const select::Run*> sets;
  for (const select::Run& run : history) {
    if (run.dataset == dataset) {
      sets.emplace(sorted_test_environments(run), &run);
    }
  }
  return sets;
}

Ranking ranking_by(const Metric& metric, const std::string& dataset, const TestEnvironments& test,
                   const Sources& sources) {
  Ranking ranking{.dataset = dataset, .with = "", .metric = &metric, .methods = {}};
  for (const Method& method : sources.methods) {
    if (method.dataset != dataset) {
      continue;
    }
    Method part = method;
    std::erase_if(part.runs,
                  [&](std::size_t run) { return sorted_test_environments(sources.history()[run]) != test; });
    if (const Spread spread = last_spread(sources.history(), part, metric); spread.runs > 0) {
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

std::string test_environments_of(const select::Run& run) {
  const auto shown = [&run](int environment) {
    const std::string name = select::environment_name(run, environment);
    return name == std::to_string(environment) ? name : "'" + name + "'";
  };
  return (run.test_envs.size() == 1 ? "the test environment " : "the test environments ") +
         base::joined(sorted_test_environments(run), ", ", shown);
}

std::vector<Ranking> rankings_of(const Sources& sources) {
  std::vector<Ranking> rankings;
  std::string last;
  for (const Method& method : sources.methods) {
    if (&method != &sources.methods.front() && method.dataset == last) {
      continue;
    }
    last = method.dataset;
    const auto sets = test_environments_on(method.dataset, sources.history());
    for (const auto& [test, run] : sets) {
      for (const std::string_view key : {worst_accuracy, worst_error}) {
        const auto metric = std::ranges::find(sources.metrics, key, &Metric::key);
        if (metric == sources.metrics.end()) {
          continue;
        }
        if (Ranking ranking = ranking_by(*metric, method.dataset, test, sources); !ranking.methods.empty()) {
          ranking.with = sets.size() > 1 ? "with " + test_environments_of(*run) : "";
          rankings.push_back(std::move(ranking));
          break;
        }
      }
    }
  }
  return rankings;
}

}  // namespace pair::report

#include "pair/select/table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "pair/select/catalog.h"

namespace pair::select {
namespace {

// Accuracies of an algorithm on a dataset by test environment and trial.
using TrialAccuracies = std::map<int, std::map<std::int64_t, double>>;
using ByAlgorithm = std::map<std::pair<std::string, std::string>, TrialAccuracies>;

ByAlgorithm accuracies_of(const Selection& selection) {
  ByAlgorithm all;
  for (const Decision& decision : selection.decisions) {
    for (std::size_t i = 0; i < decision.test_envs.size(); ++i) {
      all[{decision.dataset, decision.algorithm}][decision.test_envs[i]][decision.trial_seed] =
          decision.chosen().tests[i];
    }
  }
  return all;
}

std::optional<MeanAndError> mean_or_none(const std::vector<double>& accuracies) {
  return accuracies.empty() ? std::nullopt : std::optional(mean_and_error(accuracies));
}

// The mean of the means, summed in order as Python does.
std::optional<double> average_of(const std::vector<std::optional<MeanAndError>>& figures) {
  double sum = 0.0;
  for (const std::optional<MeanAndError>& figure : figures) {
    if (!figure) {
      return std::nullopt;
    }
    sum += figure->mean;
  }
  return figures.empty() ? std::nullopt : std::optional(sum / static_cast<double>(figures.size()));
}

// All environments of a known dataset; otherwise those that some run was tested in.
std::vector<int> columns_of(const std::string& dataset, const History& history) {
  const std::size_t known = environments_of(dataset).size();
  if (known > 0) {
    std::vector<int> all(known);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::set<int> seen;
  for (const Run& run : history) {
    if (run.dataset == dataset) {
      seen.insert(run.test_envs.begin(), run.test_envs.end());
    }
  }
  return {seen.begin(), seen.end()};
}

std::optional<MeanAndError> cell(const ByAlgorithm& all, const std::string& dataset,
                                 const std::string& algorithm, int environment) {
  std::vector<double> values;
  if (const auto found = all.find({dataset, algorithm}); found != all.end()) {
    if (const auto trials = found->second.find(environment); trials != found->second.end()) {
      for (const auto& [trial, accuracy] : trials->second) {
        values.push_back(accuracy);
      }
    }
  }
  return mean_or_none(values);
}

// The mean over trials of each trial's mean over its environments.
std::optional<MeanAndError> average_cell(const ByAlgorithm& all, const std::string& dataset,
                                         const std::string& algorithm) {
  std::map<std::int64_t, std::vector<double>> by_trial;
  if (const auto found = all.find({dataset, algorithm}); found != all.end()) {
    for (const auto& [environment, trials] : found->second) {
      for (const auto& [trial, accuracy] : trials) {
        by_trial[trial].push_back(accuracy);
      }
    }
  }
  std::vector<double> means;
  means.reserve(by_trial.size());
  for (const auto& [trial, accuracies] : by_trial) {
    means.push_back(mean(accuracies));
  }
  return mean_or_none(means);
}

}  // namespace

std::vector<Table> tables_of(const Selection& selection, const History& history) {
  std::set<std::string> dataset_names;
  for (const Run& run : history) {
    dataset_names.insert(run.dataset);
  }
  const auto algorithms = algorithms_in_order(history);
  const auto datasets = datasets_in_order({dataset_names.begin(), dataset_names.end()});
  const ByAlgorithm all = accuracies_of(selection);

  std::vector<Table> tables;
  for (const std::string& dataset : datasets) {
    Table table{dataset, "Dataset: " + dataset + ", model selection method: " + selection.title, {}, {}};
    const std::vector<int> environments = columns_of(dataset, history);
    for (const int environment : environments) {
      table.columns.push_back(environment_name(history, dataset, environment));
    }
    for (const std::string& algorithm : algorithms) {
      TableRow row{algorithm, {}, {}};
      for (const int environment : environments) {
        row.figures.push_back(cell(all, dataset, algorithm, environment));
      }
      row.average = average_of(row.figures);
      table.rows.push_back(std::move(row));
    }
    tables.push_back(std::move(table));
  }

  Table averages{"", "Averages, model selection method: " + selection.title, datasets, {}};
  for (const std::string& algorithm : algorithms) {
    TableRow row{algorithm, {}, {}};
    for (const std::string& dataset : datasets) {
      row.figures.push_back(average_cell(all, dataset, algorithm));
    }
    row.average = average_of(row.figures);
    averages.rows.push_back(std::move(row));
  }
  tables.push_back(std::move(averages));
  return tables;
}

}  // namespace pair::select

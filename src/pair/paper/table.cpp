#include "pair/paper/table.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "pair/base/numbers.h"
#include "pair/base/statistics.h"
#include "pair/base/tables.h"
#include "pair/select/pair_s.h"
#include "pair/select/pair_within_run.h"
#include "pair/select/read_histories.h"

namespace pair::paper {
namespace {

std::string one_decimal(double value) {
  return base::with_decimals(value, 1);
}

std::string shown(const nlohmann::json& figure) {
  if (figure.is_null() || figure.at("mean").is_null()) {
    return "-";
  }
  return figure.at("deviation").is_null()
             ? base::with_decimals(figure.at("mean"), 1)
             : base::with_deviation(figure.at("mean"), figure.at("deviation"), 1);
}

std::string shown_mean(const nlohmann::json& mean) {
  return mean.is_null() ? "-" : one_decimal(mean.get<double>());
}

// Header and rows of cells; the first column is the method.
std::vector<std::vector<std::string>> grid(const nlohmann::json& result) {
  std::vector<std::vector<std::string>> lines(1, {"method"});
  for (const auto& cell : result.at("rows").at(0).at("cells")) {
    lines[0].push_back(cell.at("dataset").get<std::string>());
    lines[0].push_back("paper");
  }
  lines[0].push_back("average");
  lines[0].push_back("paper");
  for (const auto& row : result.at("rows")) {
    std::vector<std::string> line = {row.at("label").get<std::string>()};
    for (const auto& cell : row.at("cells")) {
      std::string figure = shown(cell);
      if (const auto failed = cell.at("failed").get<std::size_t>(); failed > 0) {
        figure += " (" + std::to_string(failed) + " failed)";
      }
      line.push_back(figure);
      line.push_back(shown(cell.at("paper")));
    }
    line.push_back(shown_mean(row.at("average")));
    line.push_back(shown_mean(row.at("paper_average")));
    lines.push_back(std::move(line));
  }
  return lines;
}

using Outcomes = std::map<std::string, const sweep::RunOutcome*>;

Outcomes outcomes_of(const Table& table, const sweep::ManyRuns& runs) {
  Outcomes outcomes;
  const std::vector<runs::RunSpec> specs = specs_of(table);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    outcomes[runs::hash(specs[i])] = &runs.outcomes.at(i);
  }
  return outcomes;
}

// The runs of a setting: values of those that did not fail, and the errors of the others.
struct Summary {
  std::vector<double> values;
  std::vector<double> searched;  // those of the seeds by which settings are compared
  std::vector<std::string> errors;
  double seconds = 0.0;
};

double worst_of(const select::Candidate& candidate) {
  return *std::min_element(candidate.tests.begin(), candidate.tests.end());
}

// The worst test accuracy at the step that PAIR-s chooses within the run.
std::optional<double> chosen_within(const runs::RunSpec& spec, const std::filesystem::path& folder,
                                    Pick pick) {
  const select::Histories histories = select::read_histories(std::vector{folder});
  const select::Selection selection =
      select::pair_within_run(histories.history, within_run_options(spec.settings, pick));
  return selection.decisions.empty() ? std::nullopt
                                     : std::optional(worst_of(selection.decisions.front().chosen()));
}

Summary summary_of(const Cell& cell, const CellSetting& setting, const Outcomes& outcomes) {
  Summary summary;
  for (std::size_t i = 0; i < setting.specs.size(); ++i) {
    const sweep::RunOutcome& outcome = *outcomes.at(runs::hash(setting.specs[i]));
    if (!outcome.error.empty()) {
      summary.errors.push_back(outcome.error);
      continue;
    }
    summary.seconds += outcome.seconds;
    const bool chosen = cell.pick == Pick::within_run || cell.pick == Pick::within_run_as_trained;
    const std::optional<double> value = chosen ? chosen_within(setting.specs[i], outcome.directory, cell.pick)
                                               : outcome.record.at("worst_test_acc").get<double>();
    if (value) {
      summary.values.push_back(100.0 * *value);
      if (cell.search_seeds == 0 || i < cell.search_seeds) {
        summary.searched.push_back(summary.values.back());
      }
    }
  }
  return summary;
}

// The setting with the largest mean over the seeds by which settings are compared; none if all runs failed.
std::optional<std::size_t> best_of(const std::vector<Summary>& summaries) {
  std::optional<std::size_t> best;
  const auto mean = [&](std::size_t i) { return base::mean_and_deviation(summaries[i].searched).mean; };
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    if (!summaries[i].searched.empty() && (!best || mean(i) > mean(*best))) {
      best = i;
    }
  }
  return best;
}

// Keeps one record per `every` records, counted from the last.
void thin(select::History& history, std::size_t every) {
  for (select::Run& run : history) {
    const auto keep = [&](std::size_t record) { return (run.records() - 1 - record) % every == 0; };
    std::vector<std::int64_t> steps;
    for (std::size_t i = 0; i < run.records(); ++i) {
      if (keep(i)) {
        steps.push_back(run.steps[i]);
      }
    }
    for (select::Column& column : run.columns) {
      std::vector<double> values;
      for (std::size_t i = 0; i < column.values.size(); ++i) {
        if (keep(i)) {
          values.push_back(column.values[i]);
        }
      }
      column.values = std::move(values);
    }
    run.steps = std::move(steps);
  }
}

// PAIR-s's choice among the settings' runs and their steps, per seed.
std::vector<double> chosen_by_pair_s(const Cell& cell, const Outcomes& outcomes) {
  std::vector<double> values;
  for (std::size_t i = 0; i < cell.settings.front().specs.size(); ++i) {
    std::vector<std::filesystem::path> folders;
    for (const CellSetting& setting : cell.settings) {
      const sweep::RunOutcome& outcome = *outcomes.at(runs::hash(setting.specs[i]));
      if (outcome.error.empty()) {
        folders.push_back(outcome.directory);
      }
    }
    const train::Settings& settings = cell.settings.front().specs[i].settings;
    select::PairOptions options;
    options.losses = settings.objectives;
    options.preference = settings.preference;
    options.percentile = cell.percentile;
    // The runs have no held-out data.
    options.validation = select::Validation::training;
    select::Histories histories = select::read_histories(folders);
    thin(histories.history, cell.thin);
    const select::Selection selection = select::pair_s(histories.history, options);
    if (!selection.decisions.empty()) {
      values.push_back(100.0 * worst_of(selection.decisions.front().chosen()));
    }
  }
  return values;
}

nlohmann::json cell_json(const Cell& cell, const Outcomes& outcomes) {
  nlohmann::json json = {{"dataset", cell.dataset}, {"mean", nullptr}, {"deviation", nullptr}};
  if (cell.constant) {
    json.update({{"mean", *cell.constant}, {"values", nlohmann::json::array()}, {"failed", 0}});
    return json;
  }
  std::vector<Summary> summaries;
  nlohmann::json settings = nlohmann::json::array();
  std::vector<std::string> errors;
  for (const CellSetting& setting : cell.settings) {
    summaries.push_back(summary_of(cell, setting, outcomes));
    const Summary& summary = summaries.back();
    errors.insert(errors.end(), summary.errors.begin(), summary.errors.end());
    const nlohmann::json mean = summary.searched.empty()
                                    ? nlohmann::json()
                                    : nlohmann::json(base::mean_and_deviation(summary.searched).mean);
    settings.push_back({{"setting", setting.name}, {"mean", mean}});
  }
  const std::optional<std::size_t> best = best_of(summaries);
  std::vector<double> values;
  if (best) {
    values = cell.pick == Pick::pair_s ? chosen_by_pair_s(cell, outcomes) : summaries[*best].values;
    json["seconds"] = summaries[*best].seconds / static_cast<double>(summaries[*best].values.size());
    if (cell.settings.size() > 1) {
      json["settings"] = settings;
      json["setting"] = cell.pick == Pick::pair_s ? "PAIR-s" : cell.settings[*best].name;
      if (cell.search_seeds > 0) {
        json["search_seeds"] = cell.search_seeds;
      }
    }
  }
  json["values"] = values;
  json["failed"] = errors.size();
  if (!errors.empty()) {
    json["errors"] = errors;
  }
  if (!values.empty()) {
    const MeanAndDeviation mean = base::mean_and_deviation(values);
    json["mean"] = mean.mean;
    json["deviation"] = mean.deviation;
  }
  return json;
}

}  // namespace

select::WithinRunOptions within_run_options(const train::Settings& settings, Pick pick) {
  std::vector<std::size_t> order(settings.objectives.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return settings.preference.at(a) < settings.preference.at(b);
  });
  select::WithinRunOptions options;
  for (const std::size_t i : order) {
    options.losses.push_back(settings.objectives[i]);
    if (pick == Pick::within_run_as_trained) {
      options.preference.push_back(settings.preference[i]);
    }
  }
  return options;
}

std::vector<runs::RunSpec> specs_of(const Table& table) {
  std::vector<runs::RunSpec> specs;
  std::set<std::string> seen;
  for (const Row& row : table.rows) {
    for (const Cell& cell : row.cells) {
      for (const CellSetting& setting : cell.settings) {
        std::copy_if(setting.specs.begin(), setting.specs.end(), std::back_inserter(specs),
                     [&](const runs::RunSpec& spec) { return seen.insert(runs::hash(spec)).second; });
      }
    }
  }
  return specs;
}

Table first_stage(Table table) {
  for (Row& row : table.rows) {
    for (Cell& cell : row.cells) {
      for (CellSetting& setting : cell.settings) {
        if (cell.search_seeds > 0 && cell.settings.size() > 1 && setting.specs.size() > cell.search_seeds) {
          setting.specs.resize(cell.search_seeds);
        }
      }
    }
  }
  return table;
}

Table second_stage(Table table, const sweep::ManyRuns& first) {
  Table chosen = first_stage(table);
  const Outcomes outcomes = outcomes_of(chosen, first);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    for (std::size_t c = 0; c < table.rows[r].cells.size(); ++c) {
      Cell& cell = chosen.rows[r].cells[c];
      std::vector<Summary> summaries;
      for (const CellSetting& setting : cell.settings) {
        summaries.push_back(summary_of(cell, setting, outcomes));
      }
      if (const std::optional<std::size_t> best = best_of(summaries)) {
        cell.settings[*best] = std::move(table.rows[r].cells[c].settings[*best]);
      }
    }
  }
  return chosen;
}

nlohmann::json result_json(const Table& table, const sweep::ManyRuns& runs,
                           const std::vector<std::uint64_t>& seeds) {
  nlohmann::json result = {
      {"name", table.name}, {"title", table.title}, {"seeds", seeds}, {"rows", nlohmann::json::array()}};
  const Outcomes outcomes = outcomes_of(table, runs);
  for (const Row& row : table.rows) {
    nlohmann::json cells = nlohmann::json::array();
    std::vector<double> means;
    std::vector<double> paper_means;
    for (const Cell& cell : row.cells) {
      nlohmann::json json = cell_json(cell, outcomes);
      if (!json.at("mean").is_null()) {
        means.push_back(json.at("mean"));
      }
      json["paper"] = nullptr;
      if (cell.paper) {
        // A constant has no deviation.
        json["paper"] = {
            {"mean", cell.paper->mean},
            {"deviation", cell.constant ? nlohmann::json() : nlohmann::json(cell.paper->deviation)}};
        paper_means.push_back(cell.paper->mean);
      }
      cells.push_back(std::move(json));
    }
    const auto average = [&row](const std::vector<double>& values) -> nlohmann::json {
      return values.size() == row.cells.size() ? nlohmann::json(base::mean_and_deviation(values).mean)
                                               : nlohmann::json();
    };
    result["rows"].push_back({{"method", row.key},
                              {"label", row.label},
                              {"cells", std::move(cells)},
                              {"average", average(means)},
                              {"paper_average", average(paper_means)}});
  }
  return result;
}

std::string changed_text(const nlohmann::json& result) {
  return result.contains("changed_settings")
             ? "Not the paper's setting: " +
                   base::joined(result.at("changed_settings").get<std::vector<std::string>>()) + "\n\n"
             : "";
}

std::string as_text(const nlohmann::json& result) {
  return result.at("title").get<std::string>() + "\n\n" + changed_text(result) +
         base::aligned(grid(result), {.indent = "  ", .gap = 3, .left = 1, .rule = true});
}

std::string as_markdown(const nlohmann::json& result) {
  return changed_text(result) + base::markdown(grid(result), /*right=*/true);
}

}  // namespace pair::paper

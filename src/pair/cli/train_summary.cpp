#include "pair/cli/train_summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/statistics.h"
#include "pair/base/tables.h"
#include "pair/data/registry.h"
#include "pair/runs/record_keys.h"

namespace pair::cli {
namespace {

using runs::RunResult;
using runs::RunSpec;

std::string score_text(const nlohmann::json& record, const std::string& key) {
  const auto found = record.find(key);
  if (found == record.end() || !found->is_number()) {
    return "-";
  }
  const auto score = found->get<double>();
  return key.ends_with("_mse") ? base::with_digits(score, 4) : base::with_decimals(100.0 * score, 2) + "%";
}

// Whether mean squared errors are those of a standardised label.
bool is_standardised(const RunSpec& spec) {
  return data::entry_of(spec.dataset.name).standardised_label;
}

// "Accuracy" or "Mean squared error", then `when` and, if it is not obvious, the unit.
std::string score_heading(const std::string& score, const std::string& when, const RunSpec& spec) {
  if (score != "_mse") {
    return "Accuracy " + when + ":\n";
  }
  const std::string unit =
      is_standardised(spec) ? " (" + std::string(of_standardised_label) + ")" : std::string();
  return "Mean squared error " + when + unit + ":\n";
}

}  // namespace

void write_scores(const RunSpec& spec, const RunResult& result, std::ostream& out) {
  if (result.records.empty()) {
    return;
  }
  const nlohmann::json& last = result.records.back();
  const std::string score = last.contains("worst_test_mse") ? "_mse" : "_acc";
  const std::vector<std::string> names = data::environment_names(spec.dataset);
  const std::vector<std::int64_t> tests = data::test_environments(spec.dataset);
  const std::string& counted = data::entry_of(spec.dataset.name).test_part;
  bool divided = false;  // whether a test environment has a part that does not count
  out << score_heading(score, "after step " + last.at("step").dump(), spec);
  base::Rows rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string number = std::to_string(i);
    const std::string name = base::printable(names[i]);
    const bool test = std::find(tests.begin(), tests.end(), static_cast<std::int64_t>(i)) != tests.end();
    const std::string in = "env" + number + "_in" + score;
    const std::string held_out = "env" + number + "_out" + score;
    const bool both = last.contains(in) && last.contains(held_out);
    for (const std::string& key : {in, held_out}) {
      if (last.contains(key)) {
        const bool counts = test && (!both || key == "env" + number + counted + score);
        divided = divided || (test && !counts);
        const std::string_view without_score = std::string_view(key).substr(0, key.size() - score.size());
        rows.push_back({number, runs::part_of(without_score, test, counts), name, score_text(last, key)});
      }
    }
    // A split of WILDS has its own key.
    if (last.contains(names[i] + score)) {
      rows.push_back({number, test ? "test" : "validation", name, score_text(last, names[i] + score)});
    }
  }
  rows.push_back({"", "worst test", divided ? "of rows 'test'" : "", score_text(last, "worst_test" + score)});
  out << base::aligned(rows, {.indent = "  ", .left = 3});
}

namespace {

// The scores of runs with each environment left out in turn.
struct LeftOutScores {
  struct Row {
    std::string environment;
    std::optional<double> others;  // mean over the held-out parts of the training environments
    std::optional<double> left_out;
  };
  std::string score = "_acc";  // or "_mse"
  std::vector<Row> rows;
  std::optional<double> mean;  // over the rows
  std::optional<double> worst;
};

std::optional<double> score_in(const nlohmann::json& record, const std::string& key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

LeftOutScores left_out_scores(const std::vector<TrainedRun>& runs) {
  const std::vector<std::string> names = data::environment_names(runs.front().spec.dataset);
  LeftOutScores scores;
  std::vector<double> tests;
  for (const TrainedRun& run : runs) {
    if (run.result.records.empty()) {
      continue;
    }
    const nlohmann::json& last = run.result.records.back();
    scores.score = last.contains("worst_test_mse") ? "_mse" : "_acc";
    const std::int64_t test = data::test_environments(run.spec.dataset).front();
    std::vector<double> others;
    for (std::size_t e = 0; e < names.size(); ++e) {
      const auto other = score_in(last, "env" + std::to_string(e) + "_out" + scores.score);
      if (static_cast<std::int64_t>(e) != test && other) {
        others.push_back(*other);
      }
    }
    const auto own = score_in(last, "env" + std::to_string(test) + "_in" + scores.score);
    if (own) {
      tests.push_back(*own);
    }
    scores.rows.push_back(
        {names[static_cast<std::size_t>(test)],
         others.empty() ? std::nullopt : std::optional(base::mean_and_deviation(others).mean), own});
  }
  if (!tests.empty()) {
    scores.mean = base::mean_and_deviation(tests).mean;
    scores.worst = scores.score == "_acc" ? std::ranges::min(tests) : std::ranges::max(tests);
  }
  return scores;
}

nlohmann::json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace

void write_left_out(const std::vector<TrainedRun>& runs, std::ostream& out) {
  const LeftOutScores scores = left_out_scores(runs);
  const auto shown = [&scores](const std::optional<double>& value) {
    return score_text({{scores.score, number_or_null(value)}}, scores.score);
  };
  base::Rows rows{{"environment", "others, held out", "left out"}};
  for (const LeftOutScores::Row& row : scores.rows) {
    rows.push_back({base::printable(row.environment), shown(row.others), shown(row.left_out)});
  }
  if (scores.mean) {
    rows.push_back({"mean", "", shown(scores.mean)});
    rows.push_back({"worst", "", shown(scores.worst)});
  }
  out << score_heading(scores.score, "with each environment left out in turn", runs.front().spec)
      << base::aligned(rows, {.indent = "  ", .left = 1});
}

nlohmann::ordered_json left_out_json(const std::vector<TrainedRun>& runs, std::int64_t ranks, bool complete) {
  using nlohmann::ordered_json;
  const LeftOutScores scores = left_out_scores(runs);
  ordered_json all{{"runs", ordered_json::array()}, {"left_out", ordered_json::array()}};
  for (const TrainedRun& run : runs) {
    all["runs"].push_back(summary_json(run, ranks));
  }
  for (const LeftOutScores::Row& row : scores.rows) {
    all["left_out"].push_back({{"environment", row.environment},
                               {"others_held_out", number_or_null(row.others)},
                               {"score", number_or_null(row.left_out)}});
  }
  all["metric"] = scores.score == "_acc" ? "accuracy" : "mse";
  all["mean"] = number_or_null(complete ? scores.mean : std::nullopt);
  all["worst"] = number_or_null(complete ? scores.worst : std::nullopt);
  return all;
}

nlohmann::ordered_json summary_json(const TrainedRun& run, std::int64_t ranks) {
  const RunResult& result = run.result;
  const bool finished = result.status == RunResult::Status::finished;
  nlohmann::ordered_json json = {
      {"status", finished ? "finished" : "stopped"},
      {"directory", run.directory.string()},
      {"hash", runs::hash(run.spec)},
      {"step", result.step},
      {"steps", run.spec.settings.steps},
      {"seconds", result.seconds},
      {"was_done", result.was_done},
      {"record", result.records.empty() ? nlohmann::json() : result.records.back()}};
  if (!result.records.empty() && result.records.back().contains("worst_test_mse") &&
      is_standardised(run.spec)) {
    json["standardised_label"] = true;
  }
  if (ranks > 1) {
    json["ranks"] = ranks;
    json["bytes_sent"] = run.bytes_sent;
  }
  return json;
}

}  // namespace pair::cli

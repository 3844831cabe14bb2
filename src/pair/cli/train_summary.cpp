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

void write_left_out(const std::vector<TrainedRun>& runs, std::ostream& out) {
  const std::vector<std::string> names = data::environment_names(runs.front().spec.dataset);
  base::Rows rows{{"environment", "others, held out", "left out"}};
  std::vector<double> tests;
  bool accuracy = true;
  for (const TrainedRun& run : runs) {
    if (run.result.records.empty()) {
      continue;
    }
    const nlohmann::json& last = run.result.records.back();
    accuracy = !last.contains("worst_test_mse");
    const std::string score = accuracy ? "_acc" : "_mse";
    const std::int64_t test = data::test_environments(run.spec.dataset).front();
    std::vector<double> others;
    for (std::size_t e = 0; e < names.size(); ++e) {
      const auto found = last.find("env" + std::to_string(e) + "_out" + score);
      if (static_cast<std::int64_t>(e) != test && found != last.end() && found->is_number()) {
        others.push_back(found->get<double>());
      }
    }
    const std::string test_key = "env" + std::to_string(test) + "_in" + score;
    if (last.contains(test_key) && last.at(test_key).is_number()) {
      tests.push_back(last.at(test_key).get<double>());
    }
    const nlohmann::json mean{
        {score, others.empty() ? nlohmann::json() : nlohmann::json(base::mean_and_deviation(others).mean)}};
    rows.push_back({base::printable(names[static_cast<std::size_t>(test)]), score_text(mean, score),
                    score_text(last, test_key)});
  }
  out << score_heading(accuracy ? "_acc" : "_mse", "with each environment left out in turn",
                       runs.front().spec);
  if (!tests.empty()) {
    const std::string score = accuracy ? "_acc" : "_mse";
    const auto worst = accuracy ? std::min_element(tests.begin(), tests.end())
                                : std::max_element(tests.begin(), tests.end());
    rows.push_back({"mean", "", score_text({{score, base::mean_and_deviation(tests).mean}}, score)});
    rows.push_back({"worst", "", score_text({{score, *worst}}, score)});
  }
  out << base::aligned(rows, {.indent = "  ", .left = 1});
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

#include "pair/cli/score_predictions.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/data/wilds.h"

namespace pair::cli {
namespace {

std::string score_or_count(const std::string& name, double value) {
  return base::with_decimals(value, name.starts_with("count_") ? 0 : 4);
}

}  // namespace

void score_predictions(const PredictionsArguments& arguments, Context& context) {
  const data::WildsKind& kind = data::wilds_named(arguments.dataset);
  if (arguments.root.empty()) {
    throw UsageError("--data-root: expected the folder that holds '" + std::string(kind.name) + "_v" +
                     std::string(kind.version) + "', got none");
  }
  if (arguments.fold.size() != 1) {
    throw UsageError("--fold: expected A, B, C, D or E, got '" + arguments.fold + "'");
  }
  const data::Split split = data::split_named("--split", arguments.split);
  const data::WildsSet set = data::read_wilds(kind, arguments.root, {.fold = arguments.fold.front()});
  const std::vector<std::size_t> samples = set.samples_of(split);
  if (samples.empty()) {
    throw UsageError("--split: expected a split of " + std::string(kind.name) + " with samples, got '" +
                     arguments.split + "'");
  }
  const std::vector<double> predictions = data::read_predictions(arguments.predictions, samples.size());
  const data::WildsScores scores = kind.evaluate(set, samples, predictions);
  if (arguments.json) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const auto& [name, value] : scores) {
      object[name] = value;
    }
    context.out << object.dump(2) << '\n';
    return;
  }
  // The leaderboard's first.
  base::Rows rows{{"metric", "value"}};
  for (const std::string& name : kind.metrics) {
    rows.push_back({name, score_or_count(name, data::score_named(scores, name))});
  }
  for (const auto& [name, value] : scores) {
    if (std::ranges::find(kind.metrics, name) == kind.metrics.end()) {
      rows.push_back({name, score_or_count(name, value)});
    }
  }
  context.out << base::aligned(rows, {.left = 1, .rule = true});
}

}  // namespace pair::cli

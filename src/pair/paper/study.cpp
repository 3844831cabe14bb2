#include "pair/paper/study.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/statistics.h"
#include "pair/base/tables.h"

namespace pair::paper {
namespace {

using nlohmann::json;

struct Label {
  std::string_view key;
  std::string_view label;
  std::size_t place;
};
constexpr std::array<Label, 10> labels = {{{"pair", "PAIR-o", 0},
                                           {"irmv1", "IRMv1", 1},
                                           {"vrex", "V-REx", 2},
                                           {"irmx", "IRMX", 3},
                                           {"erm", "ERM", 7},
                                           {"iga", "IGA", 4},
                                           {"fishr", "Fishr", 5},
                                           {"ib", "IB", 6},
                                           // Never together with PAIR-o and IRMX.
                                           {"clove", "CLOvE", 0},
                                           {"sd", "SD", 3}}};

const Label* find_label(std::string_view method) {
  const auto* const found =
      std::find_if(labels.begin(), labels.end(), [&](const Label& entry) { return entry.key == method; });
  return found != labels.end() ? found : nullptr;
}

}  // namespace

std::string label_of(std::string_view method) {
  const Label* const found = find_label(method);
  return std::string(found != nullptr ? found->label : method);
}

std::size_t place_of(std::string_view method) {
  const Label* const found = find_label(method);
  return found != nullptr ? found->place : 0;
}

std::string quick_text(const Study& study) {
  return "5,000 training digits, 64 units per layer" +
         (study.quick_cells.empty() ? "" : ", " + study.quick_cells);
}

std::vector<runs::RunSpec> on_every_seed(const StudyRequest& request, std::string_view dataset,
                                         std::string_view algorithm, const base::Assignments& overrides) {
  base::Assignments all = overrides;
  all.insert(all.end(), request.common.begin(), request.common.end());
  std::vector<runs::RunSpec> specs;
  for (const std::uint64_t seed : request.seeds) {
    specs.push_back(runs::resolve_in_common(dataset, algorithm, all));
    specs.back().seed = seed;
  }
  return specs;
}

StudyCell study_cell(const StudyRequest& request, nlohmann::json place, std::string_view dataset,
                     std::string_view algorithm, const base::Assignments& overrides) {
  return {std::move(place), on_every_seed(request, dataset, algorithm, overrides)};
}

StudyRequest prepared(const Study& study, StudyRequest request) {
  if (request.seeds.empty()) {
    throw std::invalid_argument("seeds: expected at least one, got none");
  }
  const std::vector<std::string_view> known(study.methods.begin(), study.methods.end());
  for (const std::string& method : request.methods) {
    if (std::find(known.begin(), known.end(), method) == known.end()) {
      throw std::invalid_argument(base::unknown_name("method", method, known));
    }
  }
  if (request.methods.empty()) {
    request.methods = study.methods;
  }
  if (request.wide && study.wide.empty()) {
    throw std::invalid_argument(study.name + " has no wide form");
  }
  if (request.quick) {
    request.common.insert(request.common.begin(),
                          {{"train_digits", "5000"}, {"test_digits", "2000"}, {"width", "64"}});
  }
  return request;
}

bool asks_for(const StudyRequest& request, std::string_view method) {
  return std::find(request.methods.begin(), request.methods.end(), method) != request.methods.end();
}

nlohmann::json result_json(const Study& study, const StudyRequest& request, std::span<const StudyCell> cells,
                           std::span<const sweep::RunOutcome> outcomes) {
  json result{{"name", study.name},
              {"figures", request.wide && !study.wide_figures.empty() ? study.wide_figures : study.figures},
              {"title", study.title},
              {"seeds", request.seeds},
              {"cells", json::array()}};
  if (request.quick) {
    result["quick"] = quick_text(study);
  }
  std::size_t at = 0;
  for (const StudyCell& cell : cells) {
    std::vector<sweep::RunOutcome> done;
    std::vector<std::string> errors;
    double seconds = 0.0;
    for (const sweep::RunOutcome& outcome : outcomes.subspan(at, cell.specs.size())) {
      if (outcome.error.empty()) {
        done.push_back(outcome);
        seconds += outcome.seconds;
      } else {
        errors.push_back(outcome.error);
      }
    }
    at += cell.specs.size();
    json entry = cell.place;
    entry["failed"] = errors.size();
    if (!errors.empty()) {
      entry["errors"] = errors;
    }
    if (!done.empty()) {
      entry["seconds"] = seconds / static_cast<double>(done.size());
      entry.update(study.measure(done));
    }
    result["cells"].push_back(std::move(entry));
  }
  return result;
}

plot::Figure drawn(const Study& study, const nlohmann::json& result) {
  plot::Figure figure = study.draw(result);
  // Otherwise, a single panel would be too narrow for the title.
  constexpr double least_width = 640;
  if (figure.panels.size() == 1) {
    figure.panel_width = std::max(figure.panel_width, least_width);
  }
  figure.title = (result.contains("quick") ? "Quick form: " : "") + study.title;
  return figure;
}

std::string study_text(const Study& study, const nlohmann::json& result) {
  const std::size_t seeds = result.at("seeds").size();
  const std::string figures = result.value("figures", study.figures);
  std::string text = study.title + (figures.empty() ? "" : " (" + figures + ")") + ", " +
                     std::to_string(seeds) + (seeds == 1 ? " seed" : " seeds") + "\n";
  if (result.contains("quick")) {
    text += "This is the quick form: " + result.at("quick").get<std::string>() + ".\n";
  }
  text += "\n" + study.lines(result);
  std::size_t failed = 0;
  for (const json& cell : result.at("cells")) {
    failed += cell.at("failed").get<std::size_t>();
  }
  if (failed > 0) {
    text += "\n" + std::to_string(failed) + (failed == 1 ? " run failed and is" : " runs failed and are") +
            " not in the numbers.\n";
  }
  return study.about.empty() ? text : text + "\n" + study.about + "\n";
}

nlohmann::json spread_json(const std::vector<double>& values) {
  const base::MeanAndDeviation found = base::mean_and_deviation(values);
  return {{"mean", found.mean}, {"deviation", found.deviation}, {"values", values}};
}

nlohmann::json worst_accuracy(std::span<const sweep::RunOutcome> runs) {
  std::vector<double> values;
  for (const sweep::RunOutcome& run : runs) {
    values.push_back(100.0 * run.record.at("worst_test_acc").get<double>());
  }
  return {{"accuracy", spread_json(values)}};
}

double accuracy_of(const nlohmann::json& cell) {
  return cell.contains("accuracy") ? cell.at("accuracy").at("mean").get<double>()
                                   : std::numeric_limits<double>::quiet_NaN();
}

std::vector<nlohmann::json> cells_with(const nlohmann::json& result, const nlohmann::json& place) {
  std::vector<json> found;
  for (const json& cell : result.at("cells")) {
    const bool same = std::all_of(place.items().begin(), place.items().end(), [&](const auto& entry) {
      return cell.contains(entry.key()) && cell.at(entry.key()) == entry.value();
    });
    if (same) {
      found.push_back(cell);
    }
  }
  return found;
}

std::vector<nlohmann::json> values_of(const nlohmann::json& result, const std::string& key) {
  std::vector<json> values;
  for (const json& cell : result.at("cells")) {
    if (cell.contains(key) && std::find(values.begin(), values.end(), cell.at(key)) == values.end()) {
      values.push_back(cell.at(key));
    }
  }
  return values;
}

std::string aligned(const base::Rows& lines) {
  return base::aligned(lines, {.indent = "  ", .gap = 3, .left = 1});
}

std::string spread_text(const nlohmann::json& spread, int decimals) {
  if (spread.is_null()) {
    return "-";
  }
  return spread.at("values").size() < 2
             ? base::with_decimals(spread.at("mean"), decimals)
             : base::with_deviation(spread.at("mean"), spread.at("deviation"), decimals);
}

std::string accuracy_table(const nlohmann::json& result, std::vector<std::string> head) {
  std::vector<std::vector<std::string>> table = {std::move(head)};
  for (const nlohmann::json& method : values_of(result, "method")) {
    std::vector<std::string> line = {label_of(method.get<std::string>())};
    for (const nlohmann::json& cell : cells_with(result, {{"method", method}})) {
      line.push_back(spread_text(cell.value("accuracy", nlohmann::json()), 1));
    }
    table.push_back(std::move(line));
  }
  return aligned(table);
}

std::string power_text(double value) {
  const double exponent = std::log10(value);
  return std::abs(exponent - std::round(exponent)) < 1e-9 && value >= 10.0
             ? "1e" + std::to_string(std::lround(exponent))
             : base::shown(value);
}

}  // namespace pair::paper

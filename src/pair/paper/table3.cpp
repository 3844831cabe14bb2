#include "pair/paper/table3.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "pair/base/algorithm_names.h"
#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/paper/table3_printed.h"
#include "pair/select/domainbed.h"
#include "pair/select/means.h"
#include "pair/select/pair_s.h"

namespace pair::paper {
namespace {

using nlohmann::json;

json as_json(const Printed& printed) {
  return {{"mean", printed.mean}, {"error", printed.error}};
}

json as_json(const PrintedRow& row) {
  json figures = json::array();
  for (const Printed& figure : row.figures) {
    figures.push_back(as_json(figure));
  }
  return {{"figures", figures}, {"average", as_json(row.average)}};
}

json nothing_printed(std::size_t environments) {
  const json none{{"mean", nullptr}, {"error", nullptr}};
  return {{"figures", std::vector<json>(environments, none)}, {"average", none}};
}

// The choices for an algorithm and a test environment: by trial, the test accuracy and the number of draws of
// hyperparameters.
struct Choice {
  double accuracy;
  std::size_t draws;
};
using Chosen = std::map<std::pair<std::string, int>, std::map<std::int64_t, Choice>>;

Chosen chosen_by(const select::Selection& selection) {
  Chosen chosen;
  for (const select::Decision& decision : selection.decisions) {
    if (decision.test_envs.size() == 1) {
      chosen[{decision.algorithm, decision.test_envs.front()}][decision.trial_seed] = {
          decision.chosen().tests.front(), decision.candidates.size()};
    }
  }
  return chosen;
}

json row_of(const Chosen& chosen, std::string_view algorithm,
            const std::vector<std::string_view>& environments) {
  json figures = json::array();
  double sum = 0.0;
  std::optional<double> worst;
  bool whole = true;
  // Accuracies by trial, one per environment.
  std::map<std::int64_t, std::vector<double>> trials;
  for (int environment = 0; environment < static_cast<int>(environments.size()); ++environment) {
    const auto found = chosen.find({std::string(algorithm), environment});
    if (found == chosen.end()) {
      figures.push_back(nullptr);
      whole = false;
      continue;
    }
    std::vector<double> accuracies;
    json draws = json::array();
    for (const auto& [trial, choice] : found->second) {
      accuracies.push_back(choice.accuracy);
      draws.push_back(choice.draws);
      trials[trial].push_back(choice.accuracy);
    }
    const select::MeanAndError accuracy = select::mean_and_error(accuracies);
    figures.push_back({{"mean", accuracy.mean},
                       {"error", accuracy.error},
                       {"trials", accuracies.size()},
                       {"draws", draws}});
    sum += accuracy.mean;
    worst = worst ? std::min(*worst, accuracy.mean) : accuracy.mean;
  }
  json row{{"figures", figures},
           {"average", whole ? json(sum / static_cast<double>(environments.size())) : json()},
           {"average_error", nullptr},
           {"worst", whole ? json(*worst) : json()}};
  // Over trials that have every environment, as in DomainBed's table of averages.
  std::vector<double> means;
  for (const auto& [trial, accuracies] : trials) {
    if (accuracies.size() == environments.size()) {
      means.push_back(select::mean(accuracies));
    }
  }
  if (whole && !means.empty()) {
    row["average_error"] = select::mean_and_error(means).error;
  }
  return row;
}

// "72.3"; X if the value is missing.
std::string shown(const json& value) {
  return value.is_null() ? "X" : base::with_decimals(value, 1);
}

// "+1.2", "-0.4"; X if the value is missing.
std::string with_sign(const json& value) {
  return (value.is_null() || std::signbit(value.get<double>()) ? "" : "+") + shown(value);
}

// "72.3 +- 0.3"; X if there is no value.
std::string with_error(const json& mean, const json& error) {
  return mean.is_null() || error.is_null() ? shown(mean) : base::with_deviation(mean, error, 1);
}

std::string with_error(const json& printed) {
  return with_error(printed.at("mean"), printed.at("error"));
}

// The numbers of draws and trials: "20 x 3", "12-20 x 3" if trials differ, "-" if there is none.
std::string shown_basis(const json& figure) {
  if (figure.is_null()) {
    return "-";
  }
  const auto draws = figure.at("draws").get<std::vector<std::size_t>>();
  const auto [least, most] = std::minmax_element(draws.begin(), draws.end());
  return std::to_string(*least) + (*least == *most ? "" : "-" + std::to_string(*most)) + " x " +
         std::to_string(draws.size());
}

// Once if the domains agree, otherwise per domain.
std::string shown_bases(const json& figures) {
  std::vector<std::string> each;
  for (const json& figure : figures) {
    each.push_back(shown_basis(figure));
  }
  std::string text = each.front();
  if (std::any_of(each.begin(), each.end(), [&](const std::string& basis) { return basis != text; })) {
    for (std::size_t i = 1; i < each.size(); ++i) {
      text += ", " + each[i];
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> table3_algorithms() {
  std::vector<std::string> keys;
  for (const PrintedAlgorithm& algorithm : table3_printed().front().algorithms) {
    keys.emplace_back(algorithm.key);
  }
  return keys;
}

std::vector<std::string> table3_datasets() {
  std::vector<std::string> names;
  for (const PrintedDataset& dataset : table3_printed()) {
    names.emplace_back(dataset.name);
  }
  return names;
}

sweep::Definition table3_sweep(const std::vector<std::string>& chosen, std::int64_t n_hparams,
                               std::int64_t n_trials, const base::Assignments& common,
                               Table3Validation validation, std::string_view dataset) {
  const std::vector<std::string> known = table3_algorithms();
  std::vector<std::string> named;
  for (const std::string& name : chosen) {
    const auto found = std::find_if(known.begin(), known.end(), [&name](const std::string& one) {
      return base::same_algorithm(one, name);
    });
    if (found == known.end()) {
      const std::vector<std::string_view> names(known.begin(), known.end());
      throw std::invalid_argument(base::unknown_name("algorithm", name, names));
    }
    named.push_back(*found);
  }
  for (const auto& [key, value] : common) {
    if (key == "test_envs") {
      throw std::invalid_argument("test_envs cannot be set to " + value +
                                  ": the table has one column per left-out domain");
    }
  }
  sweep::Definition definition;
  definition.datasets = {std::string(table3_printed(dataset).name)};
  definition.algorithms = named.empty() ? known : named;
  definition.n_hparams = n_hparams;
  definition.n_trials = n_trials;
  definition.single_test_envs = validation != Table3Validation::leave_one_out;
  definition.search = sweep::Search::paper;
  // No rule of selection here reads the accuracy on training samples.
  definition.set = {{"score_train", "false"}};
  definition.set.insert(definition.set.end(), common.begin(), common.end());
  return definition;
}

nlohmann::json table3(const select::History& history, Table3Validation validation, std::string_view dataset,
                      select::Rule rule) {
  const PrintedDataset& printed_set = table3_printed(dataset);
  struct Way {
    const char* name;
    select::Selection (*plain)(const select::History&);
    select::Validation pair_s;
  };
  const auto way = [validation]() -> Way {
    switch (validation) {
      case Table3Validation::train_domain:
        return {"train-domain", select::train_domain, select::Validation::train_domain};
      case Table3Validation::test_domain:
        return {"test-domain", select::oracle, select::Validation::test_domain};
      case Table3Validation::leave_one_out:
        return {"leave-one-out", select::leave_one_out, select::Validation::leave_one_out};
    }
    throw std::logic_error("unknown validation");
  }();
  select::PairOptions options;
  options.validation = way.pair_s;
  options.rule = rule;
  const Chosen plain = chosen_by(way.plain(history));
  const Chosen by_pair_s = chosen_by(select::pair_s(history, options));
  json result{{"name", "table3"},       {"dataset", printed_set.name},
              {"validation", way.name}, {"rule", rule == select::Rule::release ? "release" : "paper"},
              {"runs", history.size()}, {"environments", printed_set.environments},
              {"rows", json::array()}};
  for (const PrintedAlgorithm& algorithm : printed_set.algorithms) {
    if (std::none_of(history.begin(), history.end(),
                     [&](const select::Run& run) { return run.algorithm == algorithm.key; })) {
      continue;
    }
    const bool printed_there = validation != Table3Validation::leave_one_out;
    const PrintedRows& paper =
        validation == Table3Validation::test_domain ? algorithm.test_domain : algorithm.train_domain;
    const auto add = [&](const Chosen& chosen, bool pair_s, const PrintedRow& printed) -> json& {
      json row = row_of(chosen, algorithm.key, printed_set.environments);
      row["algorithm"] = algorithm.key;
      row["label"] = algorithm.label;
      row["pair_s"] = pair_s;
      row["delta_worst"] = nullptr;
      row["paper"] = printed_there ? as_json(printed) : nothing_printed(printed_set.environments.size());
      row["paper"]["delta_worst"] = pair_s && printed_there ? json(paper.delta_worst) : json();
      result["rows"].push_back(std::move(row));
      return result["rows"].back();
    };
    const json worst = add(plain, false, paper.plain).at("worst");
    if (algorithm.key == "erm") {
      continue;  // one loss: nothing to trade off
    }
    json& selected = add(by_pair_s, true, paper.pair_s);
    if (!worst.is_null() && !selected.at("worst").is_null()) {
      selected["delta_worst"] = selected.at("worst").get<double>() - worst.get<double>();
    }
  }
  return result;
}

std::string table3_text(const nlohmann::json& result) {
  std::vector<std::string> heads = {"", "PAIR-s"};
  for (const json& environment : result.at("environments")) {
    heads.push_back(environment.get<std::string>());
  }
  heads.insert(heads.end(), {"average", "gain, worst", "draws x trials"});
  std::vector<std::vector<std::string>> lines = {heads};
  for (const json& row : result.at("rows")) {
    const json& paper = row.at("paper");
    std::vector<std::string> line = {row.at("label").get<std::string>(),
                                     row.at("pair_s").get<bool>() ? "yes" : ""};
    for (std::size_t i = 0; i < row.at("figures").size(); ++i) {
      const json& figure = row.at("figures")[i];
      line.push_back((figure.is_null() ? "X" : with_error(figure.at("mean"), figure.at("error"))) + " (" +
                     with_error(paper.at("figures")[i]) + ")");
    }
    line.push_back(with_error(row.at("average"), row.at("average_error")) + " (" +
                   with_error(paper.at("average")) + ")");
    line.push_back(row.at("pair_s").get<bool>()
                       ? with_sign(row.at("delta_worst")) + " (" + with_sign(paper.at("delta_worst")) + ")"
                       : "");
    line.push_back(shown_bases(row.at("figures")));
    lines.push_back(std::move(line));
  }
  return result.value("dataset", "ColoredMNIST") + " of DomainBed, " +
         result.at("validation").get<std::string>() + " validation" +
         (result.value("rule", "paper") == "release" ? ", PAIR-s by the release's rule" : "") +
         ": accuracy on the left-out domain, mean and standard error over\n"
         "trials, each the best of its draws of hyperparameters (paper in parentheses: 20 x 3)\n\n" +
         base::aligned(lines, {.indent = "  ", .left = 2});
}

}  // namespace pair::paper

#include "pair/paper/table3.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "pair/base/algorithm_names.h"
#include "pair/base/names.h"
#include "pair/base/tables.h"
#include "pair/select/domainbed.h"
#include "pair/select/means.h"
#include "pair/select/pair_s.h"

namespace pair::paper {
namespace {

using nlohmann::json;

constexpr std::array environments = {"+90%", "+80%", "-90%"};

// From the paper: an accuracy in percent and its standard error.
struct Printed {
  double mean;
  double error;
};

struct PrintedRow {
  std::array<Printed, environments.size()> figures;
  Printed average;
};

struct PaperRow {
  PrintedRow plain;
  PrintedRow pair_s;
  double delta_worst;
};

struct Algorithm {
  std::string_view key;
  std::string_view label;
  PaperRow train_domain;  // ERM has no PAIR-s row: its own row is repeated, without gain
  PaperRow test_domain;
};

// Appendix G.3 of the paper: the values from its ColoredMNIST tables for either validation set; the averages,
// with their errors, from its overall tables. (For ERM with the training-domain set the two differ: 51.5 in
// the former, 51.4 in the latter.)
constexpr std::array algorithms = {
    Algorithm{"erm",
              "ERM",
              {{{{{71.0, 0.5}, {73.4, 0.1}, {10.0, 0.1}}}, {51.4, 1.0}},
               {{{{71.0, 0.5}, {73.4, 0.1}, {10.0, 0.1}}}, {51.4, 1.0}},
               0.0},
              {{{{{71.7, 0.2}, {72.7, 0.2}, {28.8, 0.8}}}, {57.8, 0.2}},
               {{{{71.7, 0.2}, {72.7, 0.2}, {28.8, 0.8}}}, {57.8, 0.2}},
               0.0}},
    Algorithm{"dann",
              "DANN",
              {{{{{71.0, 0.3}, {73.4, 0.1}, {10.0, 0.1}}}, {51.5, 0.1}},
               {{{{71.6, 0.3}, {73.3, 0.2}, {10.9, 0.4}}}, {51.9, 0.1}},
               0.9},
              {{{{{73.0, 1.2}, {73.3, 0.1}, {25.8, 1.7}}}, {57.4, 0.8}},
               {{{{72.1, 0.3}, {73.2, 0.3}, {23.2, 3.8}}}, {56.2, 1.1}},
               -2.6}},
    Algorithm{"groupdro",
              "GroupDRO",
              {{{{{72.6, 0.2}, {73.1, 0.0}, {9.9, 0.1}}}, {51.8, 0.0}},
               {{{{72.7, 0.2}, {73.2, 0.5}, {13.0, 1.5}}}, {53.0, 0.4}},
               3.1},
              {{{{{73.4, 0.4}, {72.4, 0.0}, {38.1, 0.8}}}, {61.3, 0.4}},
               {{{{73.2, 0.2}, {73.3, 0.3}, {33.8, 2.3}}}, {60.1, 0.7}},
               -4.3}},
    Algorithm{"irmv1",
              "IRM",
              {{{{{72.3, 0.3}, {72.6, 0.4}, {9.9, 0.1}}}, {51.6, 0.1}},
               {{{{67.4, 2.6}, {64.8, 1.4}, {24.2, 1.6}}}, {52.2, 0.5}},
               14.3},
              {{{{{72.3, 0.3}, {72.5, 0.4}, {59.4, 5.3}}}, {68.1, 1.6}},
               {{{{71.7, 0.4}, {73.1, 0.1}, {62.3, 3.1}}}, {69.0, 1.1}},
               2.9}},
    Algorithm{"fishr",
              "Fishr",
              {{{{{72.2, 0.6}, {73.1, 0.3}, {9.9, 0.2}}}, {51.8, 0.1}},
               {{{{69.1, 2.9}, {70.9, 1.7}, {22.6, 1.4}}}, {54.2, 1.0}},
               12.7},
              {{{{{73.8, 0.5}, {73.6, 0.1}, {56.7, 8.6}}}, {68.0, 2.9}},
               {{{{73.7, 0.6}, {73.5, 0.2}, {57.3, 8.4}}}, {68.2, 3.0}},
               0.6}},
};

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

json nothing_printed() {
  const json none{{"mean", nullptr}, {"error", nullptr}};
  return {{"figures", json::array({none, none, none})}, {"average", none}};
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

json row_of(const Chosen& chosen, std::string_view algorithm) {
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

std::string shown(const json& value, const char* format) {
  if (value.is_null()) {
    return "X";
  }
  char text[32];
  std::snprintf(text, sizeof text, format, value.get<double>());
  return text;
}

// "72.3 +- 0.3"; X if there is no value.
std::string with_error(const json& mean, const json& error) {
  return shown(mean, "%.1f") + (error.is_null() ? "" : " +- " + shown(error, "%.1f"));
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
  keys.reserve(algorithms.size());
  for (const Algorithm& algorithm : algorithms) {
    keys.emplace_back(algorithm.key);
  }
  return keys;
}

sweep::Definition table3_sweep(const std::vector<std::string>& chosen, std::int64_t n_hparams,
                               std::int64_t n_trials, const std::vector<runs::Override>& common,
                               Table3Validation validation) {
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
  definition.datasets = {"ColoredMNIST"};
  definition.algorithms = named.empty() ? known : named;
  definition.n_hparams = n_hparams;
  definition.n_trials = n_trials;
  definition.single_test_envs = validation != Table3Validation::leave_one_out;
  definition.search = sweep::Search::paper;
  definition.set = common;
  return definition;
}

nlohmann::json table3(const select::History& history, Table3Validation validation) {
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
  const Chosen plain = chosen_by(way.plain(history));
  const Chosen by_pair_s = chosen_by(select::pair_s(history, options));
  json result{{"name", "table3"},
              {"validation", way.name},
              {"runs", history.size()},
              {"environments", environments},
              {"rows", json::array()}};
  for (const Algorithm& algorithm : algorithms) {
    if (std::none_of(history.begin(), history.end(),
                     [&](const select::Run& run) { return run.algorithm == algorithm.key; })) {
      continue;
    }
    const bool printed_there = validation != Table3Validation::leave_one_out;
    const PaperRow& paper =
        validation == Table3Validation::test_domain ? algorithm.test_domain : algorithm.train_domain;
    const auto add = [&](const Chosen& chosen, bool pair_s, const PrintedRow& printed) -> json& {
      json row = row_of(chosen, algorithm.key);
      row["algorithm"] = algorithm.key;
      row["label"] = algorithm.label;
      row["pair_s"] = pair_s;
      row["delta_worst"] = nullptr;
      row["paper"] = printed_there ? as_json(printed) : nothing_printed();
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
  std::vector<std::vector<std::string>> lines = {
      {"", "PAIR-s", "+90%", "+80%", "-90%", "average", "gain, worst", "draws x trials"}};
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
    line.push_back(row.at("pair_s").get<bool>() ? shown(row.at("delta_worst"), "%+.1f") + " (" +
                                                      shown(paper.at("delta_worst"), "%+.1f") + ")"
                                                : "");
    line.push_back(shown_bases(row.at("figures")));
    lines.push_back(std::move(line));
  }
  return "ColoredMNIST of DomainBed, " + result.at("validation").get<std::string>() +
         " validation: accuracy on the left-out domain, mean and standard error over\n"
         "trials, each the best of its draws of hyperparameters (paper in parentheses: 20 x 3)\n\n" +
         base::aligned(lines, {.indent = "  ", .left = 2});
}

}  // namespace pair::paper

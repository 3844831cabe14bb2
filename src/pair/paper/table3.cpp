#include "pair/paper/table3.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "pair/base/names.h"
#include "pair/select/domainbed.h"
#include "pair/select/figures.h"
#include "pair/select/pair_s.h"

namespace pair::paper {
namespace {

using nlohmann::json;

constexpr std::array environments = {"+90%", "+80%", "-90%"};
using Means = std::array<double, environments.size()>;

struct PaperRow {
  Means plain;
  Means pair_s;
  double delta_worst;
};

struct Algorithm {
  std::string_view key;
  std::string_view label;
  PaperRow train_domain;  // ERM has no second row: its own stands there, and no gain
  PaperRow test_domain;
};

// Appendix F.3 of the paper, ColoredMNIST with either validation set.
constexpr std::array algorithms = {
    Algorithm{"erm",
              "ERM",
              {{71.0, 73.4, 10.0}, {71.0, 73.4, 10.0}, 0.0},
              {{71.7, 72.7, 28.8}, {71.7, 72.7, 28.8}, 0.0}},
    Algorithm{"dann",
              "DANN",
              {{71.0, 73.4, 10.0}, {71.6, 73.3, 10.9}, 0.9},
              {{73.0, 73.3, 25.8}, {72.1, 73.2, 23.2}, -2.6}},
    Algorithm{"groupdro",
              "GroupDRO",
              {{72.6, 73.1, 9.9}, {72.7, 73.2, 13.0}, 3.1},
              {{73.4, 72.4, 38.1}, {73.2, 73.3, 33.8}, -4.3}},
    Algorithm{"irmv1",
              "IRM",
              {{72.3, 72.6, 9.9}, {67.4, 64.8, 24.2}, 14.3},
              {{72.3, 72.5, 59.4}, {71.7, 73.1, 62.3}, 2.9}},
    Algorithm{"fishr",
              "Fishr",
              {{72.2, 73.1, 9.9}, {69.1, 70.9, 22.6}, 12.7},
              {{73.8, 73.6, 56.7}, {73.7, 73.5, 57.3}, 0.6}},
};

// Test accuracies by algorithm and test environment, one a trial.
using Chosen = std::map<std::pair<std::string, int>, std::vector<double>>;

Chosen chosen_by(const select::Selection& selection) {
  Chosen chosen;
  for (const select::Decision& decision : selection.decisions) {
    if (decision.test_envs.size() == 1) {
      chosen[{decision.algorithm, decision.test_envs.front()}].push_back(decision.chosen().tests.front());
    }
  }
  return chosen;
}

json row_of(const Chosen& chosen, std::string_view algorithm) {
  json figures = json::array();
  double sum = 0.0;
  std::optional<double> worst;
  bool whole = true;
  for (int environment = 0; environment < static_cast<int>(environments.size()); ++environment) {
    const auto found = chosen.find({std::string(algorithm), environment});
    if (found == chosen.end()) {
      figures.push_back(nullptr);
      whole = false;
      continue;
    }
    const select::Figure figure = select::figure_of(found->second);
    figures.push_back({{"mean", figure.mean}, {"error", figure.error}, {"trials", found->second.size()}});
    sum += figure.mean;
    worst = worst ? std::min(*worst, figure.mean) : figure.mean;
  }
  return {{"figures", figures},
          {"average", whole ? json(sum / static_cast<double>(environments.size())) : json()},
          {"worst", whole ? json(*worst) : json()}};
}

std::string shown(const json& value, const char* format) {
  if (value.is_null()) {
    return "X";
  }
  char text[32];
  std::snprintf(text, sizeof text, format, value.get<double>());
  return text;
}

}  // namespace

std::vector<std::string> table3_algorithms() {
  std::vector<std::string> keys;
  for (const Algorithm& algorithm : algorithms) {
    keys.emplace_back(algorithm.key);
  }
  return keys;
}

sweep::Definition table3_sweep(const std::vector<std::string>& chosen, std::int64_t n_hparams,
                               std::int64_t n_trials, const std::vector<runs::Override>& common) {
  const std::vector<std::string> known = table3_algorithms();
  for (const std::string& name : chosen) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::vector<std::string_view> names(known.begin(), known.end());
      throw std::invalid_argument(base::unknown_name("algorithm", name, names));
    }
  }
  sweep::Definition definition;
  definition.datasets = {"ColoredMNIST"};
  definition.algorithms = chosen.empty() ? known : chosen;
  definition.n_hparams = n_hparams;
  definition.n_trials = n_trials;
  definition.single_test_envs = true;
  definition.search = sweep::Search::paper;
  definition.set = common;
  return definition;
}

nlohmann::json table3(const select::History& history, Table3Validation validation) {
  const bool of_test = validation == Table3Validation::test_domain;
  select::PairOptions options;
  options.validation = of_test ? select::Validation::test_domain : select::Validation::train_domain;
  const Chosen plain = chosen_by(of_test ? select::oracle(history) : select::train_domain(history));
  const Chosen by_pair_s = chosen_by(select::pair_s(history, options));
  json result{{"name", "table3"},
              {"validation", of_test ? "test-domain" : "train-domain"},
              {"runs", history.size()},
              {"environments", environments},
              {"rows", json::array()}};
  for (const Algorithm& algorithm : algorithms) {
    if (std::none_of(history.begin(), history.end(),
                     [&](const select::Run& run) { return run.algorithm == algorithm.key; })) {
      continue;
    }
    const PaperRow& paper = of_test ? algorithm.test_domain : algorithm.train_domain;
    const auto add = [&](const Chosen& chosen, bool pair_s, const Means& means) -> json& {
      json row = row_of(chosen, algorithm.key);
      row["algorithm"] = algorithm.key;
      row["label"] = algorithm.label;
      row["pair_s"] = pair_s;
      row["delta_worst"] = nullptr;
      row["paper"] = {{"figures", means}, {"delta_worst", pair_s ? json(paper.delta_worst) : json()}};
      result["rows"].push_back(std::move(row));
      return result["rows"].back();
    };
    const json worst = add(plain, false, paper.plain).at("worst");
    if (algorithm.key == "erm") {
      continue;  // one loss: nothing for PAIR-s to weigh
    }
    json& selected = add(by_pair_s, true, paper.pair_s);
    if (!worst.is_null() && !selected.at("worst").is_null()) {
      selected["delta_worst"] = selected.at("worst").get<double>() - worst.get<double>();
    }
  }
  return result;
}

std::string table3_text(const nlohmann::json& result) {
  char line[200];
  std::string text = "ColoredMNIST of DomainBed, " + result.at("validation").get<std::string>() +
                     " validation, accuracy on the domain that was left out (the paper's in parentheses)\n\n";
  std::snprintf(line, sizeof line, "  %-9s %-6s %22s %22s %22s %9s %16s\n", "", "PAIR-s", "+90%", "+80%",
                "-90%", "average", "gain, worst");
  text += line;
  for (const json& row : result.at("rows")) {
    std::string cells;
    for (std::size_t i = 0; i < row.at("figures").size(); ++i) {
      const json& figure = row.at("figures")[i];
      const std::string own =
          figure.is_null() ? "X"
                           : shown(figure.at("mean"), "%.1f") + " +- " + shown(figure.at("error"), "%.1f");
      const std::string cell = own + " (" + shown(row.at("paper").at("figures")[i], "%.1f") + ")";
      std::snprintf(line, sizeof line, " %22s", cell.c_str());
      cells += line;
    }
    const bool pair_s = row.at("pair_s");
    const std::string gain = pair_s ? shown(row.at("delta_worst"), "%+.1f") + " (" +
                                          shown(row.at("paper").at("delta_worst"), "%+.1f") + ")"
                                    : "";
    std::snprintf(line, sizeof line, "  %-9s %-6s%s %9s %16s\n", row.at("label").get<std::string>().c_str(),
                  pair_s ? "yes" : "", cells.c_str(), shown(row.at("average"), "%.1f").c_str(), gain.c_str());
    text += line;
  }
  return text;
}

}  // namespace pair::paper

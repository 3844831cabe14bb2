#include "pair/paper/table1.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "pair/base/names.h"
#include "pair/paper/release_settings.h"

namespace pair::paper {
namespace {

struct Dataset {
  std::string_view name;
  std::string_view printed;
};
constexpr std::array datasets = {Dataset{"cmnist", "CMNIST"}, Dataset{"cmnist-m", "CMNIST-m"}};

using PaperRow = std::array<MeanAndDeviation, datasets.size()>;

struct Table1Method {
  std::string_view key;
  std::string_view label;
  std::string_view algorithm;  // empty: the paper's numbers are constants
  std::string_view gradients;  // of PAIR-o
  bool gray;
  PaperRow paper;
  bool plain = false;  // PAIR-o with the paper's step and learning rates
};

// Table 1 of the paper.
constexpr PaperRow paper_f = {{{68.6, 0.9}, {83.7, 1.2}}};
constexpr PaperRow paper_phi = {{{68.6, 0.8}, {83.7, 1.2}}};
constexpr PaperRow paper_w = {{{69.2, 0.7}, {83.7, 1.2}}};
constexpr std::array methods_of_table1 = {
    Table1Method{"erm", "ERM", "erm", "", false, {{{17.1, 0.9}, {73.3, 0.9}}}},
    Table1Method{"irmv1", "IRMv1", "irmv1", "", false, {{{67.3, 1.9}, {76.8, 3.2}}}},
    Table1Method{"vrex", "V-REx", "vrex", "", false, {{{68.6, 0.7}, {82.9, 1.3}}}},
    Table1Method{"irmx", "IRMX", "irmx", "", false, {{{65.8, 2.9}, {81.6, 2.0}}}},
    Table1Method{"pair_f", "PAIR-o (f), guarded step", "pair", "f", false, paper_f},
    Table1Method{"pair_phi", "PAIR-o (phi), guarded step", "pair", "phi", false, paper_phi},
    Table1Method{"pair_w", "PAIR-o (w), guarded step", "pair", "w", false, paper_w},
    Table1Method{"pair_f_plain", "PAIR-o (f), the paper's step", "pair", "f", false, paper_f, true},
    Table1Method{"pair_phi_plain", "PAIR-o (phi), the paper's step", "pair", "phi", false, paper_phi, true},
    Table1Method{"pair_w_plain", "PAIR-o (w), the paper's step", "pair", "w", false, paper_w, true},
    Table1Method{"oracle", "Oracle (gray)", "erm", "", true, {{{72.2, 0.2}, {86.5, 0.3}}}},
    Table1Method{"optimum", "Optimum", "", "", false, {{{75, 0}, {90, 0}}}},
    Table1Method{"chance", "Chance", "", "", false, {{{50, 0}, {50, 0}}}},
};

// The paper's step of PAIR-o: SGD with momentum at a constant rate, 0.1 on CMNIST and 0.01 on CMNIST-m.
base::Assignments plain_step(std::size_t dataset) {
  base::Assignments step = release_step();
  step.emplace_back("balance_lr", dataset == 0 ? "0.1" : "0.01");
  return step;
}

Cell cell(const Dataset& dataset, bool gray, std::string_view algorithm, const base::Assignments& overrides,
          std::span<const std::uint64_t> seeds, std::optional<MeanAndDeviation> paper) {
  CellSetting setting;
  for (const std::uint64_t seed : seeds) {
    base::Assignments all = overrides;
    all.emplace_back("seed", std::to_string(seed));
    setting.specs.push_back(
        runs::resolve_in_common(std::string(dataset.name) + (gray ? "-gray" : ""), algorithm, all));
  }
  return {std::string(dataset.printed), {setting}, paper};
}

base::Assignments joined(base::Assignments first, const base::Assignments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

std::vector<std::string> table1_methods() {
  std::vector<std::string> keys;
  for (const Table1Method& method : methods_of_table1) {
    keys.emplace_back(method.key);
  }
  return keys;
}

Table table1(std::span<const std::string> methods, std::span<const std::uint64_t> seeds,
             const base::Assignments& common) {
  for (const std::string& name : methods) {
    const std::vector<std::string> keys = table1_methods();
    if (std::find(keys.begin(), keys.end(), name) == keys.end()) {
      const std::vector<std::string_view> known(keys.begin(), keys.end());
      throw std::invalid_argument(base::unknown_name("method", name, known));
    }
  }
  Table table{"table1", "Worst test accuracy in percent, mean +- deviation over seeds", {}};
  for (const Table1Method& method : methods_of_table1) {
    if (!methods.empty() && std::find(methods.begin(), methods.end(), method.key) == methods.end()) {
      continue;
    }
    Row row{std::string(method.key), std::string(method.label), {}};
    for (std::size_t d = 0; d < datasets.size(); ++d) {
      if (method.algorithm.empty()) {
        Cell constant{std::string(datasets[d].printed), {}, method.paper[d]};
        constant.constant = method.paper[d].mean;
        row.cells.push_back(std::move(constant));
        continue;
      }
      const std::string dataset = std::string(datasets[d].name) + (method.gray ? "-gray" : "");
      base::Assignments overrides = method.plain ? plain_step(d) : base::Assignments();
      if (!method.gradients.empty()) {
        overrides.emplace_back("gradients", method.gradients);
      } else {
        overrides = release_settings(runs::resolve(dataset, method.algorithm).settings.objectives);
      }
      row.cells.push_back(cell(datasets[d], method.gray, method.algorithm, joined(overrides, common), seeds,
                               method.paper[d]));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table robustness(std::span<const std::uint64_t> seeds, const base::Assignments& common) {
  Table table{"robustness", "PAIR-o's worst test accuracy in percent, guarded step and the paper's step", {}};
  for (const bool guarded : {true, false}) {
    for (const std::string pretrain : {"150", "200"}) {
      for (const std::string lr : {"0.1", "0.2", "0.4"}) {
        base::Assignments overrides = {{"balance_lr", lr}, {"pretrain", pretrain}};
        if (!guarded) {
          overrides = joined(overrides, release_step());
        }
        const std::string key = guarded ? "guarded" : "plain";
        const std::string step = guarded ? "guarded step" : "the paper's step";
        Row row{key + "_" + lr + "_" + pretrain, step + ", lr " + lr + ", " + pretrain + " steps of ERM", {}};
        for (const Dataset& dataset : datasets) {
          row.cells.push_back(cell(dataset, false, "pair", joined(overrides, common), seeds, std::nullopt));
        }
        table.rows.push_back(std::move(row));
      }
    }
  }
  return table;
}

}  // namespace pair::paper

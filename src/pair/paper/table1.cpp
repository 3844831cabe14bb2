#include "pair/paper/table1.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "pair/base/names.h"

namespace pair::paper {
namespace {

struct Dataset {
  std::string_view name;
  std::string_view printed;
};
constexpr std::array datasets = {Dataset{"cmnist", "CMNIST"}, Dataset{"cmnist-m", "CMNIST-m"}};

struct Method {
  std::string_view key;
  std::string_view label;
  std::string_view algorithm;
  std::string_view gradients;  // of PAIR-o
  bool gray;
  std::array<MeanAndDeviation, datasets.size()> paper;
};

// Table 1 of the paper.
constexpr std::array methods_of_table1 = {
    Method{"erm", "ERM", "erm", "", false, {{{17.1, 0.9}, {73.3, 0.9}}}},
    Method{"irmv1", "IRMv1", "irmv1", "", false, {{{67.3, 1.9}, {76.8, 3.2}}}},
    Method{"vrex", "V-REx", "vrex", "", false, {{{68.6, 0.7}, {82.9, 1.3}}}},
    Method{"irmx", "IRMX", "irmx", "", false, {{{65.8, 2.9}, {81.6, 2.0}}}},
    Method{"pair_f", "PAIR-o (f)", "pair", "f", false, {{{68.6, 0.9}, {83.7, 1.2}}}},
    Method{"pair_phi", "PAIR-o (phi)", "pair", "phi", false, {{{68.6, 0.8}, {83.7, 1.2}}}},
    Method{"pair_w", "PAIR-o (w)", "pair", "w", false, {{{69.2, 0.7}, {83.7, 1.2}}}},
    Method{"oracle", "Oracle (gray)", "erm", "", true, {{{72.2, 0.2}, {86.5, 0.3}}}},
};

Cell cell(const Dataset& dataset, bool gray, std::string_view algorithm, const Overrides& overrides,
          std::span<const std::uint64_t> seeds, std::optional<MeanAndDeviation> paper) {
  Setting setting;
  for (const std::uint64_t seed : seeds) {
    Overrides all = overrides;
    all.emplace_back("seed", std::to_string(seed));
    setting.specs.push_back(
        runs::resolve_in_common(std::string(dataset.name) + (gray ? "-gray" : ""), algorithm, all));
  }
  return {std::string(dataset.printed), {setting}, paper};
}

Overrides joined(Overrides first, const Overrides& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

std::vector<std::string> table1_methods() {
  std::vector<std::string> keys;
  for (const Method& method : methods_of_table1) {
    keys.emplace_back(method.key);
  }
  return keys;
}

Table table1(std::span<const std::string> methods, std::span<const std::uint64_t> seeds,
             const Overrides& common) {
  for (const std::string& name : methods) {
    const std::vector<std::string> keys = table1_methods();
    if (std::find(keys.begin(), keys.end(), name) == keys.end()) {
      const std::vector<std::string_view> known(keys.begin(), keys.end());
      throw std::invalid_argument(base::unknown_name("method", name, known));
    }
  }
  Table table{"table1", "Worst test accuracy in percent, mean +- deviation over seeds", {}};
  for (const Method& method : methods_of_table1) {
    if (!methods.empty() && std::find(methods.begin(), methods.end(), method.key) == methods.end()) {
      continue;
    }
    Overrides overrides;
    if (!method.gradients.empty()) {
      overrides.emplace_back("gradients", method.gradients);
    }
    Row row{std::string(method.key), std::string(method.label), {}};
    for (std::size_t d = 0; d < datasets.size(); ++d) {
      row.cells.push_back(cell(datasets[d], method.gray, method.algorithm, joined(overrides, common), seeds,
                               method.paper[d]));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table robustness(std::span<const std::uint64_t> seeds, const Overrides& common) {
  Table table{"robustness", "PAIR-o's worst test accuracy in percent, guarded and plain step", {}};
  for (const bool guarded : {true, false}) {
    for (const std::string pretrain : {"150", "200"}) {
      for (const std::string lr : {"0.1", "0.2", "0.4"}) {
        Overrides overrides = {{"balance_lr", lr}, {"pretrain", pretrain}};
        if (!guarded) {
          overrides.insert(overrides.end(),
                           {{"restart", "false"}, {"backtrack", "false"}, {"decay", "none"}});
        }
        const std::string step = guarded ? "guarded" : "plain";
        Row row{
            step + "_" + lr + "_" + pretrain, step + ", lr " + lr + ", " + pretrain + " steps of ERM", {}};
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

#include "pair/paper/generality.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "pair/base/names.h"

namespace pair::paper {
namespace {

constexpr std::array datasets = {std::pair{"cmnist", "CMNIST"}, std::pair{"cmnist-m", "CMNIST-m"}};
using PaperValues = std::array<MeanAndDeviation, datasets.size()>;

// Penalty weights for the linear scheme, and learning rates of PAIR-o's balance phase: larger ones for
// objectives with small gradients (Appendix F.2).
constexpr std::array penalties = {"10", "100", "1e3", "1e4", "1e5", "1e6"};
constexpr std::array rates = {"0.01", "0.02", "0.04", "0.1", "0.2"};
constexpr std::array large_rates = {"0.1", "0.2", "0.4", "0.8", "1"};

struct Combination {
  std::string_view objective;
  std::string_view label;
  std::string_view preference;  // for erm, irmv1 and the objective
  bool large = true;            // whether it uses the larger learning rates
  PaperValues alone, linear, pair, selected;
};

// Table 6 of the paper.
constexpr std::array combinations = {
    Combination{"ib",
                "IB",
                "1,1e12,1e8",
                true,
                {{{55.48, 3.67}, {76.01, 0.58}}},
                {{{56.09, 2.04}, {75.66, 10.6}}},
                {{{61.12, 2.33}, {83.30, 3.00}}},
                {{{60.69, 2.26}, {83.70, 1.79}}}},
    Combination{"vrex",
                "V-REx",
                "1,1e10,1e12",
                false,
                {{{68.62, 0.73}, {83.52, 2.52}}},
                {{{66.19, 1.41}, {81.75, 1.68}}},
                {{{68.89, 1.13}, {83.80, 1.60}}},
                {{{69.16, 0.76}, {83.96, 1.65}}}},
    Combination{"fishr",
                "Fishr",
                "1,1e8,1e12",
                false,
                {{{69.38, 0.39}, {77.29, 1.61}}},
                {{{66.20, 2.31}, {81.07, 3.98}}},
                {{{68.90, 0.56}, {82.70, 1.09}}},
                {{{68.78, 0.78}, {84.02, 1.37}}}},
    Combination{"clove",
                "CLOvE",
                "1,1e12,1e8",
                true,
                {{{55.55, 9.97}, {74.20, 2.45}}},
                {{{66.35, 1.51}, {77.70, 1.00}}},
                {{{64.99, 2.29}, {75.70, 1.05}}},
                {{{65.55, 2.17}, {77.29, 1.55}}}},
    Combination{"iga",
                "IGA",
                "1,1e12,1e8",
                true,
                {{{58.67, 7.69}, {76.27, 1.01}}},
                {{{51.22, 3.67}, {74.20, 2.45}}},
                {{{66.17, 2.34}, {81.84, 3.09}}},
                {{{66.51, 0.78}, {82.12, 3.04}}}},
    Combination{"sd",
                "SD",
                "1,1e12,1e8",
                true,
                {{{62.31, 1.54}, {76.73, 0.90}}},
                {{{62.48, 1.25}, {81.24, 0.69}}},
                {{{59.52, 6.12}, {82.82, 0.64}}},
                {{{65.54, 0.91}, {83.57, 0.81}}}},
};

struct Composite {
  std::string_view key;
  std::string_view label;
  std::string_view objectives;
  std::string_view preference;
  bool large = false;
  PaperValues linear, pair, selected;
};

// Table 7 of the paper.
constexpr std::array composites = {
    Composite{"ib",
              "IRMv1, IB",
              "erm,irmv1,ib",
              "1,1e12,1e8",
              true,
              {{{56.09, 2.04}, {75.66, 10.6}}},
              {{{61.12, 2.33}, {83.30, 3.00}}},
              {{{60.69, 2.26}, {83.70, 1.79}}}},
    Composite{"vrex",
              "IRMv1, V-REx",
              "erm,irmv1,vrex",
              "1,1e10,1e12",
              false,
              {{{66.19, 1.41}, {81.75, 1.68}}},
              {{{68.89, 1.13}, {83.80, 1.60}}},
              {{{69.16, 0.76}, {83.96, 1.65}}}},
    Composite{"fishr",
              "IRMv1, Fishr",
              "erm,irmv1,fishr",
              "1,1e8,1e12",
              false,
              {{{66.20, 2.31}, {81.07, 3.98}}},
              {{{66.45, 0.90}, {82.70, 1.09}}},
              {{{67.57, 0.81}, {83.22, 2.10}}}},
    Composite{"ib_vrex",
              "IRMv1, IB, V-REx",
              "erm,irmv1,ib,vrex",
              "1,1e10,1e8,1e12",
              false,
              {{{52.61, 1.56}, {63.84, 1.08}}},
              {{{68.35, 1.73}, {81.25, 3.08}}},
              {{{69.05, 0.76}, {83.11, 1.46}}}},
    Composite{"ib_fishr",
              "IRMv1, IB, Fishr",
              "erm,irmv1,ib,fishr",
              "1,1e10,1e8,1e12",
              false,
              {{{51.91, 1.26}, {68.88, 3.22}}},
              {{{59.70, 12.7}, {74.59, 1.11}}},
              {{{66.98, 2.66}, {75.91, 3.50}}}},
    Composite{"vrex_fishr",
              "IRMv1, V-REx, Fishr",
              "erm,irmv1,vrex,fishr",
              "1,1e8,1e10,1e12",
              false,
              {{{64.83, 2.95}, {79.34, 5.77}}},
              {{{67.96, 1.60}, {81.44, 2.24}}},
              {{{68.19, 1.58}, {81.89, 3.01}}}},
    Composite{"all",
              "IRMv1, IB, V-REx, Fishr",
              "erm,irmv1,ib,vrex,fishr",
              "1,1e8,1e6,1e10,1e12",
              false,
              {{{50.00, 0.32}, {69.60, 2.33}}},
              {{{66.89, 1.80}, {83.46, 3.10}}},
              {{{68.59, 1.29}, {85.30, 0.64}}}},
};

// The reference rows of both tables.
constexpr PaperValues paper_erm = {{{17.14, 0.73}, {73.30, 0.85}}};
constexpr PaperValues paper_irmv1 = {{{67.29, 0.99}, {76.89, 3.23}}};
constexpr PaperValues paper_oracle = {{{72.08, 0.24}, {86.53, 0.14}}};

class Builder {
 public:
  Builder(std::span<const std::uint64_t> seeds, const Overrides& common) : seeds_(seeds), common_(common) {}

  // A row whose cells choose among values of one setting; no values: nothing to choose.
  Row row(std::string key, std::string label, std::string_view algorithm, const Overrides& overrides,
          std::string_view searched, std::span<const char* const> values, Pick pick, const PaperValues& paper,
          bool gray = false) const {
    Row result{std::move(key), std::move(label), {}};
    for (std::size_t d = 0; d < datasets.size(); ++d) {
      Cell cell{datasets[d].second, {}, paper[d], pick};
      const std::string dataset = std::string(datasets[d].first) + (gray ? "-gray" : "");
      if (values.empty()) {
        cell.settings.push_back(setting("", dataset, algorithm, overrides));
      }
      for (const char* value : values) {
        Overrides with = overrides;
        with.emplace_back(std::string(searched), value);
        cell.settings.push_back(setting(std::string(searched) + " " + value, dataset, algorithm, with));
      }
      result.cells.push_back(std::move(cell));
    }
    return result;
  }

  Row linear(std::string key, std::string label, std::string_view objectives,
             const PaperValues& paper) const {
    return row(std::move(key), std::move(label), "irmx", with_objectives(objectives), "penalty", penalties,
               Pick::best, paper);
  }

  Row pair(std::string key, std::string label, std::string_view objectives, std::string_view preference,
           bool large, Pick pick, const PaperValues& paper) const {
    Overrides overrides = with_objectives(objectives);
    overrides.emplace_back("preference", std::string(preference));
    // The learning rate is searched, so it does not decay, as in the paper.
    overrides.emplace_back("decay", "none");
    return row(std::move(key), std::move(label), "pair", overrides, "balance_lr",
               large ? std::span<const char* const>(large_rates) : rates, pick, paper);
  }

  void add_references(Table& table) const {
    table.rows.insert(table.rows.begin(),
                      {row("erm", "ERM", "erm", {}, "", {}, Pick::best, paper_erm),
                       row("irmv1", "IRMv1", "irmv1", {}, "", {}, Pick::best, paper_irmv1)});
    table.rows.push_back(row("oracle", "Oracle (gray)", "erm", {}, "", {}, Pick::best, paper_oracle, true));
  }

 private:
  // Fishr's moving average is for minibatches; here, each step uses all data.
  static Overrides with_objectives(std::string_view objectives) {
    return {{"objectives", std::string(objectives)}, {"fishr_ema", "0"}};
  }

  [[nodiscard]] Setting setting(std::string name, const std::string& dataset, std::string_view algorithm,
                                const Overrides& overrides) const {
    Setting result{std::move(name), {}};
    for (const std::uint64_t seed : seeds_) {
      Overrides all = overrides;
      all.insert(all.end(), common_.begin(), common_.end());
      all.emplace_back("seed", std::to_string(seed));
      result.specs.push_back(runs::resolve_in_common(dataset, algorithm, all));
    }
    return result;
  }

  std::span<const std::uint64_t> seeds_;
  const Overrides& common_;
};

}  // namespace

std::vector<std::string> generality_objectives() {
  std::vector<std::string> names;
  for (const Combination& combination : combinations) {
    names.emplace_back(combination.objective);
  }
  return names;
}

Table table6(std::span<const std::string> objectives, std::span<const std::uint64_t> seeds,
             const Overrides& common) {
  const std::vector<std::string> known = generality_objectives();
  for (const std::string& name : objectives) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::vector<std::string_view> names(known.begin(), known.end());
      throw std::invalid_argument(base::unknown_name("objective", name, names));
    }
  }
  const Builder build(seeds, common);
  Table table{"table6", "Worst test accuracy in percent: IRMv1 with other objectives", {}};
  for (const Combination& combination : combinations) {
    if (!objectives.empty() &&
        std::find(objectives.begin(), objectives.end(), combination.objective) == objectives.end()) {
      continue;
    }
    const std::string key(combination.objective);
    const std::string label(combination.label);
    const std::string both = "erm,irmv1," + key;
    table.rows.push_back(build.linear(key, label, "erm," + key, combination.alone));
    table.rows.push_back(build.linear(key + "_irmv1", label + " + IRMv1", both, combination.linear));
    table.rows.push_back(build.pair(key + "_pair", label + " + IRMv1, PAIR-o", both, combination.preference,
                                    combination.large, Pick::best, combination.pair));
    table.rows.push_back(build.pair(key + "_pair_s", label + " + IRMv1, PAIR-o and PAIR-s", both,
                                    combination.preference, combination.large, Pick::pair_s,
                                    combination.selected));
  }
  build.add_references(table);
  return table;
}

Table table7(std::span<const std::uint64_t> seeds, const Overrides& common) {
  const Builder build(seeds, common);
  Table table{"table7", "Worst test accuracy in percent: IRMv1 with composites", {}};
  for (const Composite& composite : composites) {
    const std::string key(composite.key);
    const std::string label(composite.label);
    table.rows.push_back(build.linear(key, label, composite.objectives, composite.linear));
    table.rows.push_back(build.pair(key + "_pair", label + ", PAIR-o", composite.objectives,
                                    composite.preference, composite.large, Pick::best, composite.pair));
    table.rows.push_back(build.pair(key + "_pair_s", label + ", PAIR-o and PAIR-s", composite.objectives,
                                    composite.preference, composite.large, Pick::pair_s, composite.selected));
  }
  build.add_references(table);
  return table;
}

}  // namespace pair::paper

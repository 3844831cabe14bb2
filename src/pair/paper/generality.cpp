#include "pair/paper/generality.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/options.h"
#include "pair/paper/release_settings.h"

namespace pair::paper {
namespace {

constexpr std::array columns = {std::pair{"cmnist", "CMNIST"}, std::pair{"cmnist-m", "CMNIST-m"}};
using PaperValues = std::array<MeanAndDeviation, columns.size()>;

// Penalty weights and steps of annealing for the linear scheme (Appendix F.1), and learning rates of PAIR-o's
// balance phase: larger ones for objectives with small gradients (Appendix F.2).
constexpr std::array penalties = {"10", "100", "1e3", "1e4", "1e5"};
constexpr std::array annealing = {"0", "50", "100", "150", "200", "250"};
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

// The records that the release has: after its steps 0, 5, ..., 500.
const base::Assignments records_of_the_release = {{"eval_first", "1"}, {"eval_every", "5"}};
// DomainBed's rule sees one record per 50 steps, as elsewhere.
constexpr std::size_t records_per_domainbed_record = 10;

class Builder {
 public:
  explicit Builder(const GeneralityRequest& request) : request_(request) {}

  // A row with a single setting.
  [[nodiscard]] Row reference(std::string key, std::string label, std::string_view algorithm,
                              const PaperValues& paper, bool gray) const {
    Row result{std::move(key), std::move(label), {}};
    for (std::size_t d = 0; d < columns.size(); ++d) {
      const std::string dataset = std::string(columns[d].first) + (gray ? "-gray" : "");
      result.cells.push_back({columns[d].second, {setting("", dataset, algorithm, {})}, paper[d]});
    }
    return result;
  }

  void add_linear(Table& table, std::string key, std::string label, std::string_view objectives,
                  const PaperValues& paper) const {
    if (wants(GeneralityRequest::Rows::linear)) {
      table.rows.push_back(linear(std::move(key), std::move(label), objectives, paper));
    }
  }

  // The linear scheme over penalty weights and steps of annealing, with the settings of the release.
  [[nodiscard]] Row linear(std::string key, std::string label, std::string_view objectives,
                           const PaperValues& paper) const {
    const std::vector<std::string> names = base::comma_separated(objectives);
    base::Assignments common = {{"objectives", std::string(objectives)}, {"refresh", "false"}};
    for (base::Assignment& one : release_settings(names)) {
      common.push_back(std::move(one));
    }
    // irmx has other defaults on minibatches, which are those of CLOvE.
    const bool minibatches = std::find(names.begin(), names.end(), "clove") != names.end();
    Row result{std::move(key), std::move(label), {}};
    for (std::size_t d = 0; d < columns.size(); ++d) {
      Cell cell{columns[d].second, {}, paper[d]};
      cell.search_seeds = request_.search_seeds;
      for (const char* penalty : penalties) {
        for (const char* pretrain : annealing) {
          base::Assignments overrides = common;
          overrides.insert(overrides.end(), {{"penalty", penalty}, {"pretrain", pretrain}});
          cell.settings.push_back(setting(std::string("penalty ") + penalty + ", pretrain " + pretrain,
                                          columns[d].first, minibatches ? "clove" : "irmx", overrides));
        }
      }
      result.cells.push_back(std::move(cell));
    }
    return result;
  }

  // PAIR-o with the guarded step, then with the paper's and both solvers of the release. The rows of one step
  // have the same runs.
  void add_pair(Table& table, const std::string& key, const std::string& label, std::string_view objectives,
                std::string_view preference, bool large, const PaperValues& last,
                const PaperValues& selected) const {
    base::Assignments common = {{"objectives", std::string(objectives)},
                                {"preference", std::string(preference)},
                                // The learning rate is searched, so it does not decay, as in the paper.
                                {"decay", "none"},
                                // As in the release, whose ColoredMNIST has full batches.
                                {"fishr_ema", "0"},
                                {"fishr_centred", "false"}};
    common.insert(common.end(), records_of_the_release.begin(), records_of_the_release.end());
    const std::span<const char* const> searched = large ? large_rates : rates;
    const auto rows = [&](const char* suffix, const char* step, const base::Assignments& own) {
      base::Assignments settings = common;
      settings.insert(settings.end(), own.begin(), own.end());
      return PairRows{table, key + suffix, label + ", PAIR-o", step, std::move(settings), searched};
    };
    if (wants(GeneralityRequest::Rows::pair)) {
      const PairRows guarded = rows("_pair", ", guarded step", {});
      add_uses(guarded, last, selected);
      add_pair_row(guarded, "_s_domainbed", " and PAIR-s by DomainBed's rule", Pick::pair_s, nullptr);
    }
    if (wants(GeneralityRequest::Rows::plain)) {
      add_uses(rows("_plain", ", the paper's step", release_step()), last, selected);
    }
    if (wants(GeneralityRequest::Rows::sepo)) {
      add_uses(rows("_sepo", ", the paper's step with SEPO", release_step("sepo")), last, selected);
    }
  }

  void add_references(Table& table) const {
    if (!wants(GeneralityRequest::Rows::linear)) {
      return;
    }
    table.rows.insert(table.rows.begin(), {reference("erm", "ERM", "erm", paper_erm, false),
                                           linear("irmv1", "IRMv1", "erm,irmv1", paper_irmv1)});
    table.rows.push_back(reference("oracle", "Oracle (gray)", "erm", paper_oracle, true));
  }

 private:
  // The rows of one of PAIR-o's steps: where they go, how they are called, and their settings.
  struct PairRows {
    Table& table;
    std::string key;
    std::string label;
    std::string step;
    base::Assignments common;
    std::span<const char* const> rates;  // of the balance phase, searched
  };

  [[nodiscard]] bool wants(GeneralityRequest::Rows part) const {
    return request_.rows == GeneralityRequest::Rows::all || request_.rows == part;
  }

  // The rows of the runs' last steps and of the steps that PAIR-s chooses, by the release's preference and by
  // that of PAIR-o.
  void add_uses(const PairRows& rows, const PaperValues& last, const PaperValues& selected) const {
    add_pair_row(rows, "", "", Pick::best, &last);
    add_pair_row(rows, "_s", " and PAIR-s", Pick::within_run, &selected);
    add_pair_row(rows, "_s_trained", " and PAIR-s with PAIR-o's preference", Pick::within_run_as_trained,
                 &selected);
  }

  // A row over the learning rates; what `pick` takes from each run decides which of them is the best. The
  // paper has no row for DomainBed's rule.
  void add_pair_row(const PairRows& rows, const char* suffix, const char* how, Pick pick,
                    const PaperValues* paper) const {
    Row result{rows.key + suffix, rows.label + how + rows.step, {}};
    for (std::size_t d = 0; d < columns.size(); ++d) {
      Cell cell{columns[d].second, {}, std::nullopt, pick};
      if (paper != nullptr) {
        cell.paper = (*paper)[d];
      }
      cell.percentile = request_.percentile;
      cell.thin = records_per_domainbed_record;
      for (const char* rate : rows.rates) {
        base::Assignments overrides = rows.common;
        overrides.emplace_back("balance_lr", rate);
        cell.settings.push_back(
            setting(std::string("balance_lr ") + rate, columns[d].first, "pair", overrides));
      }
      result.cells.push_back(std::move(cell));
    }
    rows.table.rows.push_back(std::move(result));
  }

  [[nodiscard]] CellSetting setting(std::string name, const std::string& dataset, std::string_view algorithm,
                                    const base::Assignments& overrides) const {
    CellSetting result{std::move(name), {}};
    for (const std::uint64_t seed : request_.seeds) {
      base::Assignments all = overrides;
      all.insert(all.end(), request_.common.begin(), request_.common.end());
      all.emplace_back("seed", std::to_string(seed));
      result.specs.push_back(runs::resolve_in_common(dataset, algorithm, all));
    }
    return result;
  }

  const GeneralityRequest& request_;
};

}  // namespace

std::vector<std::string> generality_objectives() {
  std::vector<std::string> names;
  for (const Combination& combination : combinations) {
    names.emplace_back(combination.objective);
  }
  return names;
}

Table table6(const GeneralityRequest& request) {
  const std::vector<std::string>& objectives = request.objectives;
  const std::vector<std::string> known = generality_objectives();
  for (const std::string& name : objectives) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::vector<std::string_view> names(known.begin(), known.end());
      throw std::invalid_argument(base::unknown_name("objective", name, names));
    }
  }
  const Builder build(request);
  Table table{"table6", "Worst test accuracy in percent: IRMv1 with other objectives", {}};
  for (const Combination& combination : combinations) {
    if (!objectives.empty() &&
        std::find(objectives.begin(), objectives.end(), combination.objective) == objectives.end()) {
      continue;
    }
    const std::string key(combination.objective);
    const std::string label(combination.label);
    const std::string both = "erm,irmv1," + key;
    build.add_linear(table, key, label, "erm," + key, combination.alone);
    build.add_linear(table, key + "_irmv1", label + " + IRMv1", both, combination.linear);
    build.add_pair(table, key, label + " + IRMv1", both, combination.preference, combination.large,
                   combination.pair, combination.selected);
  }
  build.add_references(table);
  return table;
}

Table table7(const GeneralityRequest& request) {
  const Builder build(request);
  Table table{"table7", "Worst test accuracy in percent: IRMv1 with composites", {}};
  for (const Composite& composite : composites) {
    const std::string key(composite.key);
    const std::string label(composite.label);
    build.add_linear(table, key, label, composite.objectives, composite.linear);
    build.add_pair(table, key, label, composite.objectives, composite.preference, composite.large,
                   composite.pair, composite.selected);
  }
  build.add_references(table);
  return table;
}

}  // namespace pair::paper

#include "pair/paper/wilds_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "pair/algorithms/registry.h"
#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/statistics.h"
#include "pair/base/tables.h"
#include "pair/data/registry.h"
#include "pair/data/sha256.h"
#include "pair/data/wilds.h"
#include "pair/runs/settings.h"

namespace pair::paper {
namespace {

using base::MeanAndDeviation;
using nlohmann::json;

constexpr std::array<std::string_view, 6> table2_columns{"camelyon17", "civilcomments", "fmow",
                                                         "iwildcam",   "poverty",       "rxrx1"};

struct WildsMethod {
  std::string_view key;  // also the algorithm
  std::string_view label;
  std::array<MeanAndDeviation, 6> paper;
  double rank;
};

// Table 2 of the paper.
constexpr std::array table2_rows{
    WildsMethod{"erm",
                "ERM",
                {{{70.3, 6.4}, {56.0, 3.6}, {32.3, 1.25}, {30.8, 1.3}, {0.45, 0.06}, {29.9, 0.4}}},
                4.50},
    WildsMethod{"coral",
                "CORAL",
                {{{59.5, 7.7}, {65.6, 1.3}, {31.7, 1.24}, {32.7, 0.2}, {0.44, 0.07}, {28.4, 0.3}}},
                5.50},
    WildsMethod{"groupdro",
                "GroupDRO",
                {{{68.4, 7.3}, {70.0, 2.0}, {30.8, 0.81}, {23.8, 2.0}, {0.39, 0.06}, {23.0, 0.3}}},
                6.83},
    WildsMethod{"irmv1",
                "IRMv1",
                {{{64.2, 8.1}, {66.3, 2.1}, {30.0, 1.37}, {15.1, 4.9}, {0.43, 0.07}, {8.2, 0.8}}},
                7.67},
    WildsMethod{"vrex",
                "V-REx",
                {{{71.5, 8.3}, {64.9, 1.2}, {27.2, 0.78}, {27.6, 0.7}, {0.40, 0.06}, {7.5, 0.8}}},
                7.00},
    WildsMethod{"fish",
                "Fish",
                {{{74.3, 7.7}, {73.9, 0.2}, {34.6, 0.51}, {24.8, 0.7}, {0.43, 0.05}, {10.1, 1.5}}},
                4.33},
    WildsMethod{"lisa",
                "LISA",
                {{{74.7, 6.1}, {70.8, 1.0}, {33.5, 0.70}, {24.0, 0.5}, {0.48, 0.07}, {31.9, 0.8}}},
                2.67},
    WildsMethod{"irmx",
                "IRMX",
                {{{67.0, 6.6}, {74.3, 0.8}, {33.7, 0.78}, {26.6, 0.9}, {0.45, 0.04}, {28.7, 0.2}}},
                4.00},
    WildsMethod{"pair",
                "PAIR-o",
                {{{74.0, 7.0}, {75.2, 0.7}, {35.5, 1.13}, {27.9, 0.7}, {0.47, 0.06}, {28.8, 0.1}}},
                2.17},
};

constexpr std::array<std::string_view, 3> table5_penalties{"1e-2", "1", "1e2"};
// By IRMv1's penalty, then V-REx's: CivilComments, FMoW.
constexpr std::array<std::array<MeanAndDeviation, 2>, 9> table5_figures{{{{{72.5, 2.00}, {33.64, 0.59}}},
                                                                         {{{73.8, 1.40}, {34.20, 1.33}}},
                                                                         {{{73.1, 0.67}, {34.43, 0.72}}},
                                                                         {{{73.5, 1.47}, {30.25, 0.87}}},
                                                                         {{{74.3, 0.83}, {33.75, 0.78}}},
                                                                         {{{73.2, 0.67}, {33.70, 0.78}}},
                                                                         {{{72.1, 0.59}, {21.33, 1.51}}},
                                                                         {{{70.1, 2.09}, {21.00, 2.41}}},
                                                                         {{{74.3, 0.51}, {13.14, 1.63}}}}};

std::size_t column_of(std::string_view dataset) {
  return static_cast<std::size_t>(std::ranges::find(table2_columns, dataset) - table2_columns.begin());
}

bool is_trained_on(std::string_view dataset) {
  return std::ranges::any_of(data::datasets(), [&](const auto& entry) { return entry.name == dataset; });
}

std::vector<std::string> chosen_names(std::string_view kind, const std::vector<std::string>& wanted,
                                      std::vector<std::string> known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const std::string& name : wanted) {
    if (std::ranges::find(known, name) == known.end()) {
      throw std::invalid_argument(base::unknown_name(kind, name, names));
    }
  }
  if (wanted.empty()) {
    return known;
  }
  return wanted;
}

std::vector<std::uint64_t> seeds_of_dataset(const WildsTablesRequest& request, std::string_view dataset) {
  if (!request.seeds.empty()) {
    return request.seeds;
  }
  std::vector<std::uint64_t> seeds(request.quick             ? 2
                                   : dataset == "camelyon17" ? 10
                                   : dataset == "poverty"    ? 5
                                                             : 3);
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{0});
  return seeds;
}

// The others start from random values in the paper.
bool starts_pretrained(std::string_view dataset) {
  return dataset != "camelyon17" && dataset != "poverty";
}

// Few steps of a small network.
base::Assignments quick_settings(const std::string& dataset) {
  base::Assignments small{{"steps", "6"},  {"pretrain", "3"}, {"eval_every", "3"},  {"checkpoint_every", "3"},
                          {"warmup", "0"}, {"batch", "2"},    {"environments", "2"}};
  const base::Assignments network =
      dataset == "civilcomments"
          ? base::Assignments{{"max_tokens", "16"},          {"distilbert_layers", "1"},
                              {"distilbert_heads", "2"},     {"distilbert_dim", "16"},
                              {"distilbert_hidden", "32"},   {"distilbert_vocabulary", "128"},
                              {"distilbert_positions", "16"}}
          : base::Assignments{{"image_size", dataset == "poverty" ? "28" : "32"}, {"model", "mnist_cnn"}};
  small.insert(small.end(), network.begin(), network.end());
  return small;
}

// Digests of files, each of which is read once.
class Digests {
 public:
  const std::string& of(const std::string& file) {
    const auto [place, is_new] = digests_.try_emplace(file);
    if (is_new) {
      place->second = data::sha256_of_file(file);
    }
    return place->second;
  }

 private:
  std::map<std::string, std::string> digests_;
};

WildsCell wilds_cell(const WildsTablesRequest& request, Digests& digests, const std::string& dataset,
                     const std::string& method, const std::string& algorithm, const base::Assignments& own) {
  base::Assignments overrides{{"data_root", std::filesystem::absolute(request.data_root).string()}};
  if (request.quick) {
    const base::Assignments small = quick_settings(dataset);
    overrides.insert(overrides.end(), small.begin(), small.end());
  }
  overrides.insert(overrides.end(), own.begin(), own.end());
  overrides.insert(overrides.end(), request.common.begin(), request.common.end());
  WildsCell cell{dataset, method, {}};
  for (const std::uint64_t seed : seeds_of_dataset(request, dataset)) {
    base::Assignments all = overrides;
    all.emplace_back("seed", std::to_string(seed));
    runs::RunSpec spec = runs::resolve_in_common(dataset, algorithm, all);
    const auto weights = request.weights.find(spec.settings.model);
    if (weights != request.weights.end() && starts_pretrained(dataset)) {
      runs::set(spec, "weights", weights->second);
      runs::set(spec, "weights_sha256", digests.of(weights->second));
    }
    cell.specs.push_back(std::move(spec));
  }
  return cell;
}

void require_root(const WildsTablesRequest& request) {
  if (request.data_root.empty()) {
    throw std::invalid_argument("--data-root: expected the folder that holds WILDS' datasets, got none");
  }
}

// "r_wg" is a correlation; the others are shares, shown in percent.
bool in_percent(std::string_view dataset) {
  return dataset != "poverty";
}

std::optional<MeanAndDeviation> paper_figure(const std::string& table, const std::string& method,
                                             const std::string& dataset) {
  for (const WildsMethod& row : table2_rows) {
    if (row.key == method) {
      return row.paper[column_of(dataset)];
    }
  }
  for (std::size_t i = 0; table == "table5" && i < table5_figures.size(); ++i) {
    if (method == std::string(table5_penalties[i / 3]) + "/" + std::string(table5_penalties[i % 3])) {
      return table5_figures[i][dataset == "civilcomments" ? 0 : 1];
    }
  }
  return std::nullopt;
}

std::string label_of_method(const std::string& method) {
  const auto found = std::ranges::find(table2_rows, method, &WildsMethod::key);
  return found == table2_rows.end() ? "IRMX, penalties " + method : std::string(found->label);
}

// Ranks within each dataset that all rows have, averaged; equal means share the better rank.
void add_ranks(json& rows) {
  for (json& row : rows) {
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t c = 0; c < row["cells"].size(); ++c) {
      const bool complete =
          std::ranges::all_of(rows, [&](const json& other) { return !other["cells"][c].is_null(); });
      if (!complete) {
        continue;
      }
      const double own = row["cells"][c]["mean"].get<double>();
      ++count;
      sum += 1.0 + static_cast<double>(std::ranges::count_if(rows, [&](const json& other) {
               return other["cells"][c]["mean"].get<double>() > own;
             }));
    }
    row["rank"] = count == 0 ? json() : json(sum / static_cast<double>(count));
    const auto found = std::ranges::find(table2_rows, row["method"].get<std::string>(), &WildsMethod::key);
    row["paper_rank"] = found == table2_rows.end() ? json() : json(found->rank);
  }
}

std::string shown_figure(const json& figure, bool percent) {
  return base::with_deviation(figure["mean"], figure["deviation"], percent ? 1 : 2);
}

std::string shown_rank(const json& rank) {
  return rank.is_null() ? "-" : base::with_decimals(rank, 2);
}

}  // namespace

std::vector<std::string> table2_methods() {
  std::vector<std::string> methods;
  for (const WildsMethod& row : table2_rows) {
    if (std::ranges::any_of(algorithms::algorithms(),
                            [&](const auto& entry) { return entry.name == row.key; })) {
      methods.emplace_back(row.key);
    }
  }
  return methods;
}

std::vector<std::string> table2_datasets() {
  std::vector<std::string> datasets;
  for (const std::string_view name : table2_columns) {
    if (is_trained_on(name)) {
      datasets.emplace_back(name);
    }
  }
  return datasets;
}

std::vector<std::string> table5_datasets() {
  std::vector<std::string> datasets;
  for (const char* const name : {"civilcomments", "fmow"}) {
    if (is_trained_on(name)) {
      datasets.emplace_back(name);
    }
  }
  return datasets;
}

std::vector<WildsCell> table2_cells(const WildsTablesRequest& request) {
  require_root(request);
  Digests digests;
  std::vector<WildsCell> cells;
  for (const std::string& dataset : chosen_names("dataset of Table 2", request.datasets, table2_datasets())) {
    for (const std::string& method : chosen_names("method", request.methods, table2_methods())) {
      cells.push_back(wilds_cell(request, digests, dataset, method, method, {}));
    }
  }
  return cells;
}

std::vector<WildsCell> table5_cells(const WildsTablesRequest& request) {
  require_root(request);
  Digests digests;
  std::vector<WildsCell> cells;
  for (const std::string& dataset : chosen_names("dataset of Table 5", request.datasets, table5_datasets())) {
    for (const std::string_view irmv1 : table5_penalties) {
      for (const std::string_view vrex : table5_penalties) {
        cells.push_back(wilds_cell(request, digests, dataset, std::string(irmv1) + "/" + std::string(vrex),
                                   "irmx", {{"penalties", std::string(irmv1) + "," + std::string(vrex)}}));
      }
    }
    cells.push_back(wilds_cell(request, digests, dataset, "pair", "pair", {}));
  }
  return cells;
}

double chosen_test_score(const std::vector<json>& records) {
  double best = -std::numeric_limits<double>::infinity();
  double chosen = std::numeric_limits<double>::quiet_NaN();
  for (const json& record : records) {
    const std::string selection = record.at("args").value("selection", "");
    constexpr std::string_view val = "val_";
    if (!selection.starts_with(val)) {
      continue;
    }
    const auto validation = record.find(selection);
    const auto test = record.find("test_" + selection.substr(val.size()));
    if (validation != record.end() && validation->is_number() && test != record.end() && test->is_number() &&
        validation->get<double>() > best) {
      best = validation->get<double>();
      chosen = test->get<double>();
    }
  }
  return chosen;
}

json wilds_table_json(const std::string& name, const std::vector<WildsCell>& cells,
                      const std::vector<std::vector<double>>& values) {
  std::vector<std::string> datasets;
  std::vector<std::string> methods;
  const auto add_once = [](std::vector<std::string>& list, const std::string& text) {
    if (std::ranges::find(list, text) == list.end()) {
      list.push_back(text);
    }
  };
  for (const WildsCell& cell : cells) {
    add_once(datasets, cell.dataset);
    add_once(methods, cell.method);
  }
  json result{{"name", name}, {"datasets", json::array()}, {"rows", json::array()}};
  for (const std::string& dataset : datasets) {
    result["datasets"].push_back({{"name", dataset}, {"metric", data::wilds_named(dataset).metrics.front()}});
  }
  for (const std::string& method : methods) {
    json row{{"method", method},
             {"label", label_of_method(method)},
             {"cells", std::vector<json>(datasets.size(), json())}};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].method != method) {
        continue;
      }
      const double factor = in_percent(cells[i].dataset) ? 100.0 : 1.0;
      std::vector<double> finite;
      for (const double value : values[i]) {
        if (std::isfinite(value)) {
          finite.push_back(factor * value);
        }
      }
      if (finite.empty()) {
        continue;
      }
      const MeanAndDeviation figure = base::mean_and_deviation(finite, base::Deviation::sample);
      json cell{{"dataset", cells[i].dataset},
                {"mean", figure.mean},
                {"deviation", figure.deviation},
                {"values", finite}};
      if (const auto paper = paper_figure(name, method, cells[i].dataset)) {
        cell["paper"] = {{"mean", paper->mean}, {"deviation", paper->deviation}};
      }
      const auto place = std::ranges::find(datasets, cells[i].dataset) - datasets.begin();
      row["cells"][static_cast<std::size_t>(place)] = std::move(cell);
    }
    result["rows"].push_back(std::move(row));
  }
  if (name == "table2") {
    add_ranks(result["rows"]);
  }
  return result;
}

std::string wilds_table_text(const json& result) {
  base::Rows rows(1);
  rows[0] = {"method", ""};
  for (const json& dataset : result["datasets"]) {
    rows[0].push_back(dataset["name"].get<std::string>() + " " + dataset["metric"].get<std::string>());
  }
  const bool ranked = result["name"] == "table2";
  if (ranked) {
    rows[0].push_back("rank");
  }
  for (const json& row : result["rows"]) {
    for (const bool paper : {false, true}) {
      std::vector<std::string>& line = rows.emplace_back();
      line = {paper ? "" : row["label"].get<std::string>(), paper ? "paper" : "here"};
      for (std::size_t c = 0; c < row["cells"].size(); ++c) {
        const json& cell = row["cells"][c];
        const bool percent = in_percent(result["datasets"][c]["name"].get<std::string>());
        line.push_back(cell.is_null() || (paper && !cell.contains("paper"))
                           ? "-"
                           : shown_figure(paper ? cell["paper"] : cell, percent));
      }
      if (ranked) {
        line.push_back(shown_rank(row[paper ? "paper_rank" : "rank"]));
      }
    }
  }
  return base::aligned(rows, {.left = 2, .rule = true});
}

}  // namespace pair::paper

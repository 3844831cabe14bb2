#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/runs/run_spec.h"

// Table 2 of the paper, all methods on six datasets of WILDS, and Table 5, linear weights of IRMX against
// PAIR-o on two of them. Models are chosen by the dataset's metric on the split val, and the same metric on
// test is the result; figures are means and sample deviations (n - 1) over seeds, or over folds for
// PovertyMap, as on WILDS' leaderboard.

namespace pair::paper {

struct WildsTablesRequest {
  std::string data_root;
  std::vector<std::string> datasets = {};  // empty: those of the table that can be trained on
  std::vector<std::string> methods = {};   // empty: all that this program has
  std::vector<std::uint64_t> seeds = {};   // of each dataset; empty: the paper's 10, 5 folds, or 3, from 0
  // Files of weights to start from, by model: "densenet121", "resnet50" and "distilbert". A model without one
  // starts from random values, as camelyon17 and poverty always do.
  std::map<std::string, std::string> weights = {};
  base::Assignments common = {};  // vocab among them, for civilcomments
  // Small networks and images, few steps and two seeds: a trial of a table on a made-up folder, not its
  // figures.
  bool quick = false;
};

// One cell of a table: the same settings for each seed.
struct WildsCell {
  std::string dataset;  // "camelyon17"
  std::string method;   // key of its row
  std::vector<runs::RunSpec> specs;
};

// The methods of Table 2 that this program has: erm, coral, groupdro, irmv1, vrex, fish, lisa, irmx, pair.
std::vector<std::string> table2_methods();
// The datasets of Table 2 or 5 that this program trains on.
std::vector<std::string> table2_datasets();
std::vector<std::string> table5_datasets();

// By dataset, then method. Throws std::invalid_argument for unknown names and without a data root.
std::vector<WildsCell> table2_cells(const WildsTablesRequest& request);
// The nine pairs of penalties of IRMX, "1e-2/1" being IRMv1's and V-REx's, and pair. methods is not used.
std::vector<WildsCell> table5_cells(const WildsTablesRequest& request);

// The result of one run: the metric on test in the record with the best metric on val; NaN if there is none.
double chosen_test_score(const std::vector<nlohmann::json>& records);

// {"name", "datasets": [{"name", "metric"}], "rows": [{"method", "label", "cells": [{"dataset", "mean",
// "deviation",
//   "values", "paper": {"mean", "deviation"}} or null], "rank", "paper_rank"}]}
// values[i] has one number per finished run of cells[i]; NaN counts as a failed run. Accuracies and F1 are in
// percent. The rank is the mean over the datasets that all rows have, 1 for the best; table5 has none.
nlohmann::json wilds_table_json(const std::string& name, const std::vector<WildsCell>& cells,
                                const std::vector<std::vector<double>>& values);
std::string wilds_table_text(const nlohmann::json& result);

}  // namespace pair::paper

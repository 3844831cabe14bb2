#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pair/runs/run_spec.h"
#include "pair/sweep/many_runs.h"

// A table of the paper: methods by datasets, each cell the mean over seeds of the worst test accuracy.

namespace pair::paper {

struct Figure {
  double mean = 0.0;  // per cent
  double deviation = 0.0;
};

// A method with one choice of its hyperparameters.
struct Setting {
  std::string name = {};             // "lr 0.1"; empty where there is nothing to choose
  std::vector<runs::RunSpec> specs;  // one a seed
};

// Which of a cell's settings, and which step of a run, its figure is of.
enum class Pick {
  best,    // the setting with the largest mean after the last step: the paper's choice on the test data
  pair_s,  // on each seed by PAIR-s (pair/select/pair_s.h) over the settings, steps included
};

struct Cell {
  std::string dataset;            // as printed: "CMNIST"
  std::vector<Setting> settings;  // at least one
  std::optional<Figure> paper;    // what the paper prints
  Pick pick = Pick::best;
  double percentile = 0.5;  // PAIR-s's bar of validation accuracy; 0: none
};

struct Row {
  std::string key;    // as typed: "pair_w"
  std::string label;  // as printed: "PAIR-o (w)"
  std::vector<Cell> cells;
};

struct Table {
  std::string name;  // "table1"
  std::string title;
  std::vector<Row> rows;
};

// Every spec of a table once, row by row, cell by cell, setting by setting.
std::vector<runs::RunSpec> specs_of(const Table& table);

// Mean and deviation (the root of the mean squared distance to the mean) of numbers in per cent.
Figure figure_of(std::span<const double> per_cent);

// The table with its runs' outcomes, in the order of specs_of:
//   {"name", "title", "seeds", "rows": [{"method", "label", "average", "paper_average", "cells":
//     [{"dataset", "mean", "deviation", "values", "seconds", "failed", "paper": {"mean", "deviation"}}]}]}
// Accuracies in per cent; of several settings, also "setting", the one chosen, and "settings", the mean of
// each. A cell has as many values as the setting chosen has runs that did not fail.
nlohmann::json result_json(const Table& table, const sweep::ManyRuns& runs,
                           const std::vector<std::uint64_t>& seeds);

// The same for people: columns aligned, the paper's figures beside ours.
std::string as_text(const nlohmann::json& result);
std::string as_markdown(const nlohmann::json& result);

// Processor and device, versions of project, LibTorch and compiler, today's date.
nlohmann::json provenance(const std::string& device);

}  // namespace pair::paper

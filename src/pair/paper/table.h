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

struct Cell {
  std::string dataset;               // as printed: "CMNIST"
  std::vector<runs::RunSpec> specs;  // one a seed
  std::optional<Figure> paper;       // what the paper prints
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

// Every spec of a table, row by row, cell by cell.
std::vector<runs::RunSpec> specs_of(const Table& table);

// Mean and deviation (the root of the mean squared distance to the mean) of numbers in per cent.
Figure figure_of(std::span<const double> per_cent);

// The table with its runs' outcomes, in the order of specs_of:
//   {"name", "title", "seeds", "rows": [{"method", "label", "average", "paper_average", "cells":
//     [{"dataset", "mean", "deviation", "values", "seconds", "failed", "paper": {"mean", "deviation"}}]}]}
// Accuracies in per cent.
nlohmann::json result_json(const Table& table, const sweep::ManyRuns& runs,
                           const std::vector<std::uint64_t>& seeds);

// The same for people: columns aligned, the paper's figures beside ours.
std::string as_text(const nlohmann::json& result);
std::string as_markdown(const nlohmann::json& result);

// Processor and device, versions of project, LibTorch and compiler, today's date.
nlohmann::json provenance(const std::string& device);

}  // namespace pair::paper

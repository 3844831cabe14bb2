#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/plot/figure.h"
#include "pair/runs/run_spec.h"
#include "pair/sweep/many_runs.h"

// A figure of the paper that needs runs: cells, each with the same settings on every seed; measurements on a
// cell's runs; a figure drawn from the measurements. studies.h lists all, one file each; run_study.h runs
// one. Does not need torch.

namespace pair::paper {

struct StudyRequest {
  std::vector<std::string> methods = {};   // of Study::methods; empty: all
  std::vector<std::uint64_t> seeds = {0};  // at least one
  base::Assignments common = {};           // settings common to all runs
  bool quick = false;                      // fewer cells on less data
  bool wide = false;                       // the larger grid of a study that has one
};

// One cell of a figure.
struct StudyCell {
  nlohmann::json place;              // {"dataset": "CMNIST", "method": "irmv1", "pretrain": 100}
  std::vector<runs::RunSpec> specs;  // one per seed
};

struct Study {
  std::string name;                  // on the command line: "fig-sweep"
  std::string figures;               // in the paper: "Figures 5b and 18"; empty: not in the paper
  std::string title;                 // of the figure
  std::string summary;               // one line for lists
  std::string seeds;                 // default; the quick form has seed 0
  std::vector<std::string> methods;  // methods to choose from; two or more, or none
  std::string wide_figures = {};     // figures of the wide form; empty: the same
  std::string wide = {};             // description of the wide form; empty: there is none
  std::string quick_cells = {};      // description of the cells in the quick form; empty: all cells
  std::string about = {};            // a sentence below the numbers that explains them

  std::function<std::vector<StudyCell>(const StudyRequest&)> cells;
  // The runs that the cells' runs start from; may be null.
  std::function<std::vector<runs::RunSpec>(const StudyRequest&)> first = {};
  // The measurements of a cell, from its runs that did not fail, at least one; merged with the cell's place
  // in the result.
  std::function<nlohmann::json(std::span<const sweep::RunOutcome>)> measure;
  // The figure, and the text, of a result (result_json below).
  std::function<plot::Figure(const nlohmann::json&)> draw;
  std::function<std::string(const nlohmann::json&)> lines;
};

// "IRMv1" for irmv1; the key itself if it has no label.
std::string label_of(std::string_view method);
// The index of the colour, dash and shape (plot::category, dash, shape) of a method or objective in every
// figure; 0 if it has no label.
std::size_t place_of(std::string_view method);

// ColoredMNIST and its modified form, as in the paper's tables.
struct StudyDataset {
  std::string_view name;   // "cmnist-m"
  std::string_view label;  // "CMNIST-m"
};
inline constexpr StudyDataset cmnist{"cmnist", "CMNIST"};
inline constexpr StudyDataset cmnist_m{"cmnist-m", "CMNIST-m"};

// A cell with the request's seeds; the request's common settings override `overrides`.
StudyCell study_cell(const StudyRequest& request, nlohmann::json place, std::string_view dataset,
                     std::string_view algorithm, const base::Assignments& overrides);
// Only the specs of such a cell.
std::vector<runs::RunSpec> on_every_seed(const StudyRequest& request, std::string_view dataset,
                                         std::string_view algorithm, const base::Assignments& overrides);

// "5,000 training digits, 64 units per layer, CMNIST-m only": how the quick form is reduced.
std::string quick_text(const Study& study);

// The request as the study's cells use it: a quick request first gets settings that make runs about fifty
// times shorter. Throws std::invalid_argument for an unknown method, no seed, or a wide form that does not
// exist.
StudyRequest prepared(const Study& study, StudyRequest request);

// Whether the prepared request includes the method.
bool asks_for(const StudyRequest& request, std::string_view method);

// {"name", "figures", "title", "quick" (how it is reduced, as text; absent in the full form), "seeds",
//  "cells": [{place..., measured..., "seconds" (per run), "failed", "errors"}]}
// outcomes are those of all cells' specs, in order. A cell whose runs all failed has no measurements.
nlohmann::json result_json(const Study& study, const StudyRequest& request, std::span<const StudyCell> cells,
                           std::span<const sweep::RunOutcome> outcomes);

// The study's figure; the title of a quick result says so.
plot::Figure drawn(const Study& study, const nlohmann::json& result);
// The result as text: title, lines and notes.
std::string study_text(const Study& study, const nlohmann::json& result);

// ---- common parts of measurements
// --------------------------------------------------------------------------

// {"mean", "deviation", "values"}.
nlohmann::json spread_json(const std::vector<double>& values);
// {"accuracy": spread of the worst test accuracy after the last step, in percent}.
nlohmann::json worst_accuracy(std::span<const sweep::RunOutcome> runs);
// The mean of result["accuracy"]; NaN if the cell has none.
double accuracy_of(const nlohmann::json& cell);

// The result's cells whose place has these entries.
std::vector<nlohmann::json> cells_with(const nlohmann::json& result, const nlohmann::json& place);
// The distinct values of a key over the cells, in their order.
std::vector<nlohmann::json> values_of(const nlohmann::json& result, const std::string& key);

// A table with these headings; the first column to the left, the others to the right.
std::string aligned(const std::vector<std::vector<std::string>>& lines);
// "68.5 +- 1.0", with this many decimals; "-" if there is no value.
std::string spread_text(const nlohmann::json& spread, int decimals);
// A line per method with the accuracies of its cells, in percent. head: the first line, beginning with the name of the
// column of methods.
std::string accuracy_table(const nlohmann::json& result, std::vector<std::string> head);
// "1e4".
std::string power_text(double value);

}  // namespace pair::paper

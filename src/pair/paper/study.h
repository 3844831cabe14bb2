#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/paper/overrides.h"
#include "pair/plot/figure.h"
#include "pair/runs/run_spec.h"
#include "pair/sweep/many_runs.h"

// A figure of the paper that takes runs: cells, each the same settings on every seed; what is measured on a
// cell's runs; what is drawn from the measurements. studies.h has them all, one file each; run_study.h runs
// one. Nothing here needs torch.

namespace pair::paper {

struct StudyRequest {
  std::vector<std::string> methods = {};   // of Study::methods; none: all
  std::vector<std::uint64_t> seeds = {0};  // at least one
  Overrides common = {};                   // settings of every run
  bool quick = false;                      // fewer cells on less data
  bool wide = false;                       // the larger grid of a study that has one
};

// One place in a figure.
struct StudyCell {
  nlohmann::json place;              // {"dataset": "CMNIST", "method": "irmv1", "pretrain": 100}
  std::vector<runs::RunSpec> specs;  // one a seed
};

struct Study {
  std::string name;                  // as typed: "fig-sweep"
  std::string figures;               // of the paper: "Figures 1d, 4a and 12"
  std::string title;                 // of the figure
  std::string summary;               // one line for lists
  std::string seeds;                 // by default; the quick form has seed 0
  std::vector<std::string> methods;  // to choose from; two or more, or none
  std::string wide = {};             // what the wide form is; empty: there is none
  std::string quick_cells = {};      // which of the cells the quick form has, in words; empty: all
  std::string about = {};            // a sentence below the numbers: how to read them

  std::function<std::vector<StudyCell>(const StudyRequest&)> cells;
  // What must have been run before the cells' runs, which start from it; none where empty.
  std::function<std::vector<runs::RunSpec>(const StudyRequest&)> first = {};
  // Numbers of a cell out of its runs that did not fail, one at least; joins the cell's place in the result.
  std::function<nlohmann::json(std::span<const sweep::RunOutcome>)> measure;
  // From a result (result_json below) the figure, and lines for people.
  std::function<plot::Figure(const nlohmann::json&)> draw;
  std::function<std::string(const nlohmann::json&)> lines;
};

// "IRMv1" for irmv1; the key itself where it has no other name.
std::string label_of(std::string_view method);
// Which colour, dash and shape (plot::category, dash, shape) the method or objective has in every figure; 0
// for one without a name of its own.
std::size_t place_of(std::string_view method);

// ColoredMNIST and its modified form, as in the paper's tables.
struct StudyDataset {
  std::string_view name;   // "cmnist-m"
  std::string_view label;  // "CMNIST-m"
};
inline constexpr StudyDataset cmnist{"cmnist", "CMNIST"};
inline constexpr StudyDataset cmnist_m{"cmnist-m", "CMNIST-m"};

// A cell with the request's seeds; its common settings come after `overrides` and win.
StudyCell study_cell(const StudyRequest& request, nlohmann::json place, std::string_view dataset,
                     std::string_view algorithm, const Overrides& overrides);
// The specs alone.
std::vector<runs::RunSpec> on_every_seed(const StudyRequest& request, std::string_view dataset,
                                         std::string_view algorithm, const Overrides& overrides);

// "5,000 digits to train on, 64 units a layer, CMNIST-m alone": what the quick form has less.
std::string quick_text(const Study& study);

// The request as the study's cells take it: of a quick one, settings that make runs some fifty times shorter
// before the common ones. Throws std::invalid_argument for an unknown method, no seed, or a wide form that
// there is not.
StudyRequest prepared(const Study& study, StudyRequest request);

// Whether the request, prepared, asks for the method.
bool asks_for(const StudyRequest& request, std::string_view method);

// {"name", "figures", "title", "quick" (what it has less, in words; absent in the full form), "seeds",
//  "cells": [{place..., measured..., "seconds" (a run), "failed", "errors"}]}
// outcomes are those of all cells' specs, in order. A cell whose runs all failed has no measurements.
nlohmann::json result_json(const Study& study, const StudyRequest& request, std::span<const StudyCell> cells,
                           std::span<const sweep::RunOutcome> outcomes);

// The study's figure; of a quick result, it says so.
plot::Figure drawn(const Study& study, const nlohmann::json& result);
// Title, lines and what there is to say about them, for people.
std::string told(const Study& study, const nlohmann::json& result);

// ---- what measures have in common ------------------------------------------------------------------------

// {"mean", "deviation", "values"}.
nlohmann::json spread_json(const std::vector<double>& values);
// {"accuracy": spread of the worst test accuracy after the last step, in per cent}.
nlohmann::json worst_accuracy(std::span<const sweep::RunOutcome> runs);
// The mean of result["accuracy"], NaN where the cell has none.
double accuracy_of(const nlohmann::json& cell);

// The result's cells that have these entries in their place.
std::vector<nlohmann::json> cells_with(const nlohmann::json& result, const nlohmann::json& place);
// The different values that the cells have under a key, in their order.
std::vector<nlohmann::json> values_of(const nlohmann::json& result, const std::string& key);

// A table with these headings; the first column to the left, the others to the right.
std::string aligned(const std::vector<std::vector<std::string>>& lines);
// "68.5 +- 1.0", with so many decimals; "-" where there is nothing.
std::string spread_text(const nlohmann::json& spread, int decimals);
// "1e4".
std::string power_text(double value);

}  // namespace pair::paper

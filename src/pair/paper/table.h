#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pair/base/statistics.h"
#include "pair/runs/run_spec.h"
#include "pair/select/pair_within_run.h"
#include "pair/sweep/many_runs.h"

// A table of the paper: methods as rows, datasets as columns, each cell the mean over seeds of the worst test
// accuracy.

namespace pair::paper {

using base::MeanAndDeviation;  // in percent

// A method with one choice of hyperparameters.
struct CellSetting {
  std::string name = {};             // "lr 0.1"; empty if there is nothing to choose
  std::vector<runs::RunSpec> specs;  // one per seed
};

// The setting of a cell, and the step of a run, that its value comes from.
enum class Pick {
  best,  // the setting with the largest mean after the last step: chosen on the test data, as in the paper
  within_run,  // in each run, the step that PAIR-s chooses (pair/select/pair_within_run.h), as in the paper's
               // release; then the setting with the largest mean, as for best
  within_run_as_trained,  // the same, with the preference that the run was trained with
  pair_s,                 // per seed, PAIR-s as for DomainBed (pair/select/pair_s.h) over settings and steps
};

// The options of PAIR-s for a run by Pick::within_run or within_run_as_trained: the losses from the smallest
// preference to the largest, the order of the release's rule; and for the latter, the preferences.
select::WithinRunOptions within_run_options(const train::Settings& settings, Pick pick);

struct Cell {
  std::string dataset;                    // as displayed: "CMNIST"
  std::vector<CellSetting> settings;      // at least one, unless there is a constant
  std::optional<MeanAndDeviation> paper;  // the paper's value
  Pick pick = Pick::best;
  double percentile = 0.5;  // Pick::pair_s: the bar for validation accuracy; 0: none
  // Pick::pair_s: every how many records it considers, counted from the last: DomainBed's rule is for the
  // last few of about ten records.
  std::size_t thin = 1;
  // The number of seeds, the first ones, that settings are compared by; 0: all. The chosen setting is
  // reported on all seeds (first_stage below).
  std::size_t search_seeds = 0;
  std::optional<double> constant = {};  // a value that needs no run, in percent
};

struct Row {
  std::string key;    // on the command line: "pair_w"
  std::string label;  // as displayed: "PAIR-o (w)"
  std::vector<Cell> cells;
};

struct Table {
  std::string name;  // "table1"
  std::string title;
  std::vector<Row> rows;
};

// Every spec of a table, by row, cell and setting.
std::vector<runs::RunSpec> specs_of(const Table& table);

// A search on a few seeds. In the first stage, cells with search_seeds have only those seeds. In the second,
// the best setting of such a cell, by the outcomes of the first stage's specs_of, has all its seeds again. A
// table without such cells is returned as it is.
Table first_stage(Table table);
Table second_stage(Table table, const sweep::ManyRuns& first);

// The table with the outcomes of its runs, in the order of specs_of:
//   {"name", "title", "seeds", "rows": [{"method", "label", "average", "paper_average", "cells":
//     [{"dataset", "mean", "deviation", "values", "seconds", "failed", "paper": {"mean", "deviation"}}]}]}
// Accuracies are in percent. With several settings also "setting", the chosen one, and "settings", the mean
// of each; with a search on a few seeds, "search_seeds". A cell has one value per run of the chosen setting
// that did not fail.
nlohmann::json result_json(const Table& table, const sweep::ManyRuns& runs,
                           const std::vector<std::uint64_t>& seeds);

// "Not the paper's setting: steps=60" and a blank line, for a result with "changed_settings"; otherwise
// empty.
std::string changed_text(const nlohmann::json& result);

// The same as text: columns aligned, with the paper's values next to ours.
std::string as_text(const nlohmann::json& result);
std::string as_markdown(const nlohmann::json& result);

}  // namespace pair::paper

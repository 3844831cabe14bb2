#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pair/select/decision.h"
#include "pair/select/figures.h"

// A selection as DomainBed's collector prints it: a table a dataset, algorithms by test environments, each
// figure a mean over trials with its standard error, and a table of averages.

namespace pair::select {

struct TableRow {
  std::string algorithm;
  std::vector<std::optional<Figure>> figures;  // nothing where no trial has one: X
  std::optional<double> average;               // of the means, in per cent; nothing where one is missing
};

struct Table {
  std::string dataset;               // empty: the averages
  std::string heading;               // "Dataset: PACS, model selection method: ..."
  std::vector<std::string> columns;  // of the figures: environments, or datasets
  std::vector<TableRow> rows;        // every algorithm of the history
};

// The tables of the history's datasets, those of DomainBed first and in its order, and at the end the
// averages, each over trials of the mean over the test environments of a trial.
std::vector<Table> tables_of(const Selection& selection, const History& history);

// As the collector prints it: columns of 20 characters, of the averages 25.
std::string as_text(const Table& table);
std::string as_latex(const Table& table);
std::string as_markdown(const Table& table);

// Text with what means something to LaTeX made harmless.
std::string latex_escaped(std::string_view text);

}  // namespace pair::select

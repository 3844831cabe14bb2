#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pair/select/decision.h"
#include "pair/select/means.h"

// A selection in the layout of DomainBed's collector: one table per dataset, with algorithms as rows and test
// environments as columns, each value a mean over trials with its standard error; and a table of averages.

namespace pair::select {

struct TableRow {
  std::string algorithm;
  std::vector<std::optional<MeanAndError>> figures;  // none if no trial has a value, printed as X
  std::optional<double> average;                     // mean of the means in percent; none if one is missing
};

struct Table {
  std::string dataset;               // empty for the averages
  std::string heading;               // "Dataset: PACS, model selection method: ..."
  std::vector<std::string> columns;  // heads of the value columns: environments or datasets
  std::vector<TableRow> rows;        // every algorithm of the history
};

// The tables of the history's datasets, DomainBed's first and in its order, then the averages: means over
// trials of each trial's mean over its test environments.
std::vector<Table> tables_of(const Selection& selection, const History& history);

// In the collector's layout: columns of 20 characters; 25 for the averages.
std::string as_text(const Table& table);
std::string as_latex(const Table& table);
std::string as_markdown(const Table& table);

// The line that explains an X; empty if the table has none. DomainBed's tables do not have it, so that
// as_text does not either.
std::string explanation_of_x(const Table& table);

// The text with LaTeX's special characters escaped.
std::string latex_escaped(std::string_view text);

}  // namespace pair::select

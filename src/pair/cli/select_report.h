#pragma once

#include <iosfwd>
#include <vector>

#include "pair/select/read_histories.h"
#include "pair/select/table.h"

namespace pair::cli {

// The output of 'pair select', in each of its formats.
struct SelectReport {
  const select::Histories& histories;
  std::vector<select::Selection> selections;
  double percentile = 0.5;  // for PAIR-s
  bool explain = false;     // also list every candidate of every choice
};

// Tables in the layout of DomainBed's collector, then the choices.
void write_text(const SelectReport& report, std::ostream& out);
void write_markdown(const SelectReport& report, std::ostream& out);
// Only the tables, as a complete LaTeX document.
void write_latex(const SelectReport& report, std::ostream& out);
// Only the choices, one line each; with `explain`, the candidates.
void write_csv(const SelectReport& report, std::ostream& out);
// Everything.
void write_json(const SelectReport& report, std::ostream& out);

}  // namespace pair::cli

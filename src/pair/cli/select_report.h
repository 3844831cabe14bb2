#pragma once

#include <iosfwd>
#include <vector>

#include "pair/select/read_histories.h"
#include "pair/select/table.h"

namespace pair::cli {

// What 'pair select' has to say, in each of its formats.
struct SelectReport {
  const select::Histories& histories;
  std::vector<select::Selection> selections;
  double percentile = 0.5;  // of PAIR-s
  bool explain = false;     // also every candidate of every choice
};

// Tables as DomainBed's collector prints them, then the choices.
void write_text(const SelectReport& report, std::ostream& out);
void write_markdown(const SelectReport& report, std::ostream& out);
// The tables alone, in a document that compiles.
void write_latex(const SelectReport& report, std::ostream& out);
// The choices alone, a line each; explained, the candidates.
void write_csv(const SelectReport& report, std::ostream& out);
// All there is.
void write_json(const SelectReport& report, std::ostream& out);

}  // namespace pair::cli

#pragma once

#include <string>
#include <vector>

#include "pair/report/sources.h"

// The report in sentences: what was trained, which method is best, by which criterion, where models fail, and
// which caveats apply.

namespace pair::report {

struct Sentence {
  std::string kind;  // trained, best, criterion, model or distrust
  std::string text;
};

std::vector<Sentence> summary_of(const Sources& sources);

// One sentence that says which runs failed before their first record, and why. There must be such a run.
std::string early_failures(const Sources& sources);

// Caveats found in the records: unfinished runs, values that are not finite, few seeds, differences within
// the spread, collapsed accuracy, criteria that used test data. Empty if there are none.
std::vector<std::string> doubts_of(const Sources& sources);

}  // namespace pair::report

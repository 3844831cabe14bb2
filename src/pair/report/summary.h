#pragma once

#include <string>
#include <vector>

#include "pair/report/sources.h"

// The report in words: what was trained, which is best, by which criterion, and what to distrust.

namespace pair::report {

struct Sentence {
  std::string kind;  // trained, best, criterion or distrust
  std::string text;
};

std::vector<Sentence> summary_of(const Sources& sources);

// In a sentence, which runs failed before their first record and why; there must be one.
std::string early_failures(const Sources& sources);

// What in the records calls for care: runs that are not whole or not finite, few seeds, differences within
// the spread, collapses, criteria that looked at test data. Empty where nothing does.
std::vector<std::string> doubts_of(const Sources& sources);

}  // namespace pair::report

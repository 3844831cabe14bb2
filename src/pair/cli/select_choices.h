#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/tables.h"
#include "pair/select/decision.h"

// Choices as rows of text, for the table formats.

namespace pair::cli {

// Hyperparameters that vary among the runs of an algorithm on a dataset; constant ones are not shown.
class VaryingHparams {
 public:
  explicit VaryingHparams(const select::History& history);
  // "lr=0.001, penalty=100".
  [[nodiscard]] std::string of(const select::Run& run) const;

 private:
  std::map<std::pair<std::string, std::string>, std::set<std::string>> varying_;
};

// A number with up to six digits; "-" for NaN.
std::string short_number(double value);
// "nll 0.31, penalty 0.002".
std::string shown_losses(const select::Decision& decision, const select::Candidate& candidate);
// "+90%", or "2, 3, 4" if a dataset's environments have no names.
std::string shown_environments(const select::Decision& decision);
// In percent: "71.4", or "80.1, 64.9" for several test environments.
std::string shown_tests(const select::Candidate& candidate);

using base::Rows;

// A header and one row per choice of the selection.
Rows choice_rows(const select::Selection& selection, const VaryingHparams& hparams);
// A header and one row per candidate, in order.
Rows candidate_rows(const select::Decision& decision, const VaryingHparams& hparams);
// "losses nll, penalty with preference 0.01, 0.99; 7 of 20 runs reach the bar ...".
std::string explanation(const select::Decision& decision, double percentile);

// Control characters are replaced (base/names.h).
std::string aligned(Rows rows, std::string_view indent);
std::string as_markdown(Rows rows);

}  // namespace pair::cli

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pair/report/summary.h"
#include "pair/runs/evaluation.h"

// A run's evaluation in sentences.

namespace pair::report {

// A column that a model leans on and that misleads it in an environment.
struct Flip {
  std::size_t environment = 0;  // of evaluation.environments
  std::size_t column = 0;       // of evaluation.columns->names
  double agreement = 0.0;       // in that environment
  // Means over the other training environments. Not the share in the environment itself: a column that points
  // against the others there takes variation away from their sum.
  double share = 0.0;
  double elsewhere = 0.0;  // agreement
};

// The column with the largest share * -agreement among those with a share of at least 0.1, an agreement below 0 by
// more than 0.05 and two standard errors (2 / sqrt(n)), and an agreement above 0.05 elsewhere.
std::optional<Flip> flip_of(const runs::Evaluation& evaluation);

// "The worst environment is ...", and what misleads the model there.
std::vector<std::string> evaluation_words(const runs::Evaluation& evaluation);

// The same for the summary: of the first run of up to four methods, in the order of importance.
std::vector<Sentence> evaluation_sentences(const Sources& sources);

}  // namespace pair::report

#pragma once

#include <string>

#include "pair/runs/score_sheet.h"

namespace pair::runs {

// Scores the environments of a dataset, with the run's options and seed unless the request has others; one
// row per part that a run's records score. Throws std::invalid_argument if the data does not fit the model.
void score_dataset(ScoreSheet& sheet, const std::string& name);

}  // namespace pair::runs

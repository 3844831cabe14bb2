#pragma once

#include "pair/runs/score_sheet.h"

namespace pair::runs {

// Scores the images of the request's folder, ENVIRONMENT/CLASS/FILE, one row per environment. Throws
// std::invalid_argument if the model does not take images or does not know a class.
void score_folder(ScoreSheet& sheet);

}  // namespace pair::runs

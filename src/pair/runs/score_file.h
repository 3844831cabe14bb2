#pragma once

#include "pair/runs/score_sheet.h"

// Scores of a CSV file with labels, one row per environment; one row "all" if the file lacks the columns of
// environments.

namespace pair::runs {

// Rows of a file for a model of a table, encoded as those that the model was trained on. Throws
// std::invalid_argument if a column is missing, and with the line of a cell that cannot be used.
void score_table_file(ScoreSheet& sheet);

// Texts of a file for a model of texts, divided into tokens as those that the model was trained on. Throws
// likewise.
void score_text_file(ScoreSheet& sheet);

}  // namespace pair::runs

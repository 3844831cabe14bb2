#pragma once

#include <optional>
#include <string>

#include "pair/cli/command.h"

namespace pair::cli {

struct PredictionsArguments {
  std::string dataset;      // of WILDS
  std::string root;         // --data-root
  std::string split;        // --split
  std::string predictions;  // a file, as WILDS' evaluate.py reads it
  std::string fold = "A";   // of poverty
  bool json = false;
};

// Writes the scores of predictions for a split of a dataset of WILDS. Throws UsageError.
void score_predictions(const PredictionsArguments& arguments, Context& context);

}  // namespace pair::cli

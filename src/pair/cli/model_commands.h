#pragma once

#include "pair/cli/command.h"

// The commands that use a trained model.

namespace pair::cli {

// pair predict RUN INPUTS...
void add_predict(CLI::App& app, Context& context);
// pair score RUN [DATA]
void add_score(CLI::App& app, Context& context);
// pair export RUN -o FILE
void add_export(CLI::App& app, Context& context);

}  // namespace pair::cli

#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair train: trains one run, or resumes it, and writes its records.
void add_train(CLI::App& app, Context& context);

}  // namespace pair::cli

#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair train: one run, from its settings to its records, or what is left of it.
void add_train(CLI::App& app, Context& context);

}  // namespace pair::cli

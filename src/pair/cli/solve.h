#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair solve [FILE|-]: JSON lines of problems in, JSON lines of weights out.
void add_solve(CLI::App& app, Context& context);

}  // namespace pair::cli

#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair solve [FILE|-]: reads problems as JSON lines, writes weights as JSON lines.
void add_solve(CLI::App& app, Context& context);

}  // namespace pair::cli

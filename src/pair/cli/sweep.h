#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair sweep launch|status|collect|delete-incomplete: many runs as one job.
void add_sweep(CLI::App& app, Context& context);

}  // namespace pair::cli

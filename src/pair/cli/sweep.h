#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair sweep NAME: the group that what can be done with many runs is added to.
CLI::App& add_sweep(CLI::App& app);

// pair sweep launch: runs what is missing. It trains, so it needs LibTorch.
void add_sweep_launch(CLI::App& sweep, Context& context);

// pair sweep status|collect|delete-incomplete: what is to be done with the folder.
void add_sweep_keeping(CLI::App& sweep, Context& context);

}  // namespace pair::cli

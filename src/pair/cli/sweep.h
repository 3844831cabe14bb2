#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair sweep NAME: the group of subcommands for many runs.
CLI::App& add_sweep(CLI::App& app);

// pair sweep launch: runs what is missing.
void add_sweep_launch(CLI::App& sweep, Context& context);

// pair sweep status|collect|delete-incomplete|cancel: everything else about the folder.
void add_sweep_keeping(CLI::App& sweep, Context& context);

}  // namespace pair::cli

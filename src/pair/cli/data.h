#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair data get NAME [--from SOURCE] and pair data list.
void add_data(CLI::App& app, Context& context);

}  // namespace pair::cli

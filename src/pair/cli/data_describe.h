#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair data describe FILE|FOLDER, for a user's own data, and NAME --data-root DIR, for the datasets of WILDS.
void add_data_describe(CLI::App& data_command, Context& context);

}  // namespace pair::cli

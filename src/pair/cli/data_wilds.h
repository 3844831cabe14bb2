#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair data describe, samples and generate NAME --data-root DIR, for the datasets of WILDS.
void add_wilds_data(CLI::App& data_command, Context& context);

}  // namespace pair::cli

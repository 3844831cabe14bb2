#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair report DIR...: makes a page about runs and sweeps, or its figures as files, from their records.
void add_report(CLI::App& app, Context& context);

}  // namespace pair::cli

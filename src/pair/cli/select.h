#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair select DIR...: what PAIR-s and DomainBed's criteria choose from a sweep, and the tables that follow.
void add_select(CLI::App& app, Context& context);

}  // namespace pair::cli

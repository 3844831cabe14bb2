#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair paper NAME: a table of the paper, from its runs to its figures.
void add_paper(CLI::App& app, Context& context);

}  // namespace pair::cli

#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair watch DIR: a web page that follows the runs in a folder.
void add_watch(CLI::App& app, Context& context);

}  // namespace pair::cli

#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// All commands of this build.
void add_commands(CLI::App& app, Context& context);

// The pair program, with standard input and output. Returns the exit status.
int run_standard(int argc, char** argv);

}  // namespace pair::cli

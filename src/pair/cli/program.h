#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// All commands of this build.
void add_commands(CLI::App& app, Context& context);

// The pair program, with standard input and output. Returns the exit status.
int run_standard(int argc, char** argv);

// Ends the process with a status after flushing the standard streams. Global objects are not destroyed: the
// registries of LibTorch alone would take a tenth of a second. In builds with a sanitizer, which reports at
// the end, they are.
[[noreturn]] void end_process(int status);

}  // namespace pair::cli

#pragma once

#include <string>

#include "pair/cli/command.h"

// LibTorch takes half a second and 160 MB to load. So 'pair' is two programs: the one that people start has
// no LibTorch and does what needs none; the other has everything, and the first becomes it (exec) for the
// rest.

namespace pair::cli {

// Becomes the program with LibTorch, under the same process id and with the same arguments, input, output and
// environment. Throws std::runtime_error where it cannot be started.
[[noreturn]] void hand_over(const Context& context);

// A subcommand that is handed over as soon as it is named, so that its options, help and errors are the other
// program's.
void add_elsewhere(CLI::App& app, Context& context, const std::string& name, const std::string& summary);

}  // namespace pair::cli

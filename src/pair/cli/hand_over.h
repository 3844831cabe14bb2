#pragma once

#include <string>

#include "pair/cli/command.h"

// 'pair' is several programs. The one that users start does everything that does not need LibTorch, which
// takes half a second and 160 MB to load. For the rest, it replaces itself (exec) by another program from
// libexec/pair.

namespace pair::cli {

enum class Part {
  training,   // libexec/pair/pair: everything that needs LibTorch
  benchmarks  // libexec/pair/pair-bench: 'pair bench', which 'make run' does not build
};

// Replaces this program by the other one, with the same process id, arguments, input, output and environment.
// Throws std::runtime_error if it cannot be started.
[[noreturn]] void hand_over(const Context& context, Part part);

// Adds a subcommand that hands over as soon as it is named, so that options, help and errors come from the
// other program.
void add_elsewhere(CLI::App& app, Context& context, Part part, const std::string& name,
                   const std::string& summary);

}  // namespace pair::cli

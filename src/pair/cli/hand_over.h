#pragma once

#include <filesystem>
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

// The absolute path of the program that users start: this program or, if this is a part that it hands over
// to, that one.
std::filesystem::path program_of_user();

// Adds a subcommand that hands over as soon as it is named, so that options, help and errors come from the
// other program.
void add_elsewhere(CLI::App& app, Context& context, Part part, const std::string& name,
                   const std::string& summary);

}  // namespace pair::cli

#pragma once

#include <string>

#include "pair/cli/command.h"

// 'pair' is several programs. The one that people start does what needs no LibTorch, which takes half a
// second and 160 MB to load. For the rest it becomes another program of ours (exec), from libexec/pair.

namespace pair::cli {

enum class Part {
  training,   // libexec/pair/pair: everything that needs LibTorch
  benchmarks  // libexec/pair/pair-bench: 'pair bench', which 'make run' does not build
};

// Becomes the other program, under the same process id and with the same arguments, input, output and
// environment. Throws std::runtime_error where it cannot be started.
[[noreturn]] void hand_over(const Context& context, Part part);

// A subcommand that is handed over as soon as it is named, so that its options, help and errors are the other
// program's.
void add_elsewhere(CLI::App& app, Context& context, Part part, const std::string& name,
                   const std::string& summary);

}  // namespace pair::cli

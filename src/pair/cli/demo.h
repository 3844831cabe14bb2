#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair demo: trains ERM and PAIR-o on ColoredMNIST and compares them where the colours are reversed.
void add_demo(CLI::App& app, Context& context);

}  // namespace pair::cli

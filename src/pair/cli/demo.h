#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair demo: ERM and PAIR-o side by side on ColoredMNIST, and what becomes of each where the colours lie.
void add_demo(CLI::App& app, Context& context);

}  // namespace pair::cli

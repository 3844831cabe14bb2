#pragma once

#include <vector>

#include "pair/cli/list.h"

// The commands that need LibTorch, in three forms: train_commands.cpp implements them; train_elsewhere.cpp
// hands them over to the program that does; train_absent.cpp, for builds without LibTorch, adds only those
// that do not need it.

namespace pair::cli {

// Prepares the process for training; must be called first.
void prepare_to_train();

// pair train, data, sweep, demo, predict, score and export.
void add_train_commands(CLI::App& app, Context& context);
// pair paper NAME.
void add_paper_commands(CLI::App& app, Context& context);
// The lists of 'pair list' about training.
std::vector<ListKind> train_lists(const Context& context);

}  // namespace pair::cli

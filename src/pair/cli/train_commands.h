#pragma once

#include <vector>

#include "pair/cli/list.h"

// What 'pair' can do only with LibTorch, in three forms: train_commands.cpp does it; train_elsewhere.cpp
// names it and hands it over to the program that does; train_absent.cpp, for builds without LibTorch, adds
// what needs none.

namespace pair::cli {

// Sets the process up for training; to be called first of all.
void prepare_to_train();

// pair train, data, sweep, demo, predict, score and export.
void add_train_commands(CLI::App& app, Context& context);
// pair paper NAME.
void add_paper_commands(CLI::App& app, Context& context);
// What 'pair list' knows about training.
std::vector<ListKind> train_lists(const Context& context);

}  // namespace pair::cli

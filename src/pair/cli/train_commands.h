#pragma once

#include <vector>

#include "pair/cli/list.h"

// What 'pair' can do only with LibTorch, in three forms: train_commands.cpp and its like do it;
// train_elsewhere.cpp names it and hands it over to the program that does; train_absent.cpp, for builds
// without LibTorch, adds nothing. A command that is new here is new in all three.

namespace pair::cli {

// Sets the process up for training; to be called first of all.
void prepare_to_train();

void add_train_commands(CLI::App& app, Context& context);
// pair paper table1 and what else takes runs, from the runs to the figures.
void add_paper_tables(CLI::App& paper, Context& context);
void add_paper_table3(CLI::App& paper, Context& context);
void add_paper_extrapolation(CLI::App& paper, Context& context);
// pair paper fig-conflict, fig-sweep and the other figures of studies.h.
void add_paper_studies(CLI::App& paper, Context& context);
std::vector<ListKind> train_lists(const Context& context);

}  // namespace pair::cli

#pragma once

#include "pair/cli/command.h"

// The subcommands that have a file of their own and nothing else to declare.

namespace pair::cli {

// pair solve [FILE|-]: reads problems as JSON lines, writes weights as JSON lines.
void add_solve(CLI::App& app, Context& context);
// pair report DIR...: makes a page about runs and sweeps, or its figures as files, from their records.
void add_report(CLI::App& app, Context& context);
// pair watch DIR: a web page that follows the runs in a folder.
void add_watch(CLI::App& app, Context& context);
// pair data get NAME [--from SOURCE] and pair data list.
void add_data(CLI::App& app, Context& context);
// pair data describe FILE|FOLDER, for a user's own data, and NAME --data-root DIR, for the datasets of WILDS.
void add_data_describe(CLI::App& data_command, Context& context);

// The next two need LibTorch.

// pair train: trains one run, or resumes it, and writes its records.
void add_train(CLI::App& app, Context& context);
// pair demo: trains ERM and PAIR-o on ColoredMNIST and compares them where the colours are reversed.
void add_demo(CLI::App& app, Context& context);

}  // namespace pair::cli

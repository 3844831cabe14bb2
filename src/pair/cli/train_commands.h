#pragma once

#include <vector>

#include "pair/cli/list.h"

// What 'pair' can do only with LibTorch; built without it, these add nothing.

namespace pair::cli {

void add_train_commands(CLI::App& app, Context& context);
void add_train_benches(CLI::App& bench, Context& context);
std::vector<ListKind> train_lists();

}  // namespace pair::cli

// Replaces the training commands in builds without LibTorch.

#include "pair/cli/commands.h"
#include "pair/cli/paper.h"
#include "pair/cli/train_commands.h"

namespace pair::cli {

void prepare_to_train() {}

void add_train_commands(CLI::App& app, Context& context) {
  add_data(app, context);
}

void add_paper_commands(CLI::App& app, Context& context) {
  add_paper_theory(add_paper(app), context);
}

std::vector<ListKind> train_lists(const Context& /*context*/) {
  return {};
}

}  // namespace pair::cli

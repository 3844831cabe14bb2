// Built in place of the training commands where there is no LibTorch.

#include "pair/cli/train_commands.h"

namespace pair::cli {

void prepare_to_train() {}

void add_train_commands(CLI::App& /*app*/, Context& /*context*/) {}

void add_paper_tables(CLI::App& /*paper*/, Context& /*context*/) {}

void add_paper_table3(CLI::App& /*paper*/, Context& /*context*/) {}

void add_paper_extrapolation(CLI::App& /*paper*/, Context& /*context*/) {}

void add_paper_studies(CLI::App& /*paper*/, Context& /*context*/) {}

std::vector<ListKind> train_lists(const Context& /*context*/) {
  return {};
}

}  // namespace pair::cli

#include <csignal>
#include <iostream>
#include <utility>
#include <vector>

#include "pair/cli/command.h"
#include "pair/cli/hand_over.h"
#include "pair/cli/list.h"
#include "pair/cli/report.h"
#include "pair/cli/select.h"
#include "pair/cli/solve.h"
#include "pair/cli/train_commands.h"
#include "pair/cli/watch.h"

int main(int argc, char** argv) {
  pair::cli::prepare_to_train();
  // A closed pipe must be a failed write, so that files and locks are closed in order.
  std::signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);
  pair::cli::Context standard{std::cin, std::cout, std::cerr};
  return pair::cli::run(argc, argv, standard, [](CLI::App& app, pair::cli::Context& context) {
    pair::cli::add_solve(app, context);
    std::vector<pair::cli::ListKind> kinds = pair::cli::train_lists(context);
    kinds.insert(kinds.begin(), pair::cli::solvers());
    pair::cli::add_train_commands(app, context);
    pair::cli::add_select(app, context);
    pair::cli::add_report(app, context);
    pair::cli::add_watch(app, context);
    pair::cli::add_paper_commands(app, context);
    pair::cli::add_list(app, context, std::move(kinds));
    pair::cli::add_elsewhere(app, context, pair::cli::Part::benchmarks, "bench",
                             "Measure the speed of parts of PAIR on this machine");
  });
}

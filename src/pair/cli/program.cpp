#include "pair/cli/program.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <utility>
#include <vector>

#include "pair/cli/commands.h"
#include "pair/cli/hand_over.h"
#include "pair/cli/list.h"
#include "pair/cli/reference.h"
#include "pair/cli/select.h"
#include "pair/cli/train_commands.h"

namespace pair::cli {

void add_commands(CLI::App& app, Context& context) {
  add_solve(app, context);
  std::vector<ListKind> kinds = train_lists(context);
  kinds.insert(kinds.begin(), solvers());
  kinds.front().reference = solvers_reference;
  add_train_commands(app, context);
  add_select(app, context);
  add_report(app, context);
  add_watch(app, context);
  add_paper_commands(app, context);
  add_list(app, context, std::move(kinds));
  add_elsewhere(app, context, Part::benchmarks, "bench",
                "Measure the speed of parts of PAIR on this machine");
}

int run_standard(int argc, char** argv) {
  prepare_to_train();
  // A closed pipe must be a failed write, so that files and locks are closed in order.
  std::signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);
  Context standard{std::cin, std::cout, std::cerr};
  return run(argc, argv, standard, add_commands);
}

void end_process(int status) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::exit(status);
#else
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  ::_exit(status);
#endif
}

}  // namespace pair::cli

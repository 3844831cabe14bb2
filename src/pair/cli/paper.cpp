#include "pair/cli/paper.h"

namespace pair::cli {

CLI::App& add_paper(CLI::App& app) {
  CLI::App* paper = app.add_subcommand("paper", "Make a table or a figure of the paper, or check its theory");
  paper->require_subcommand(1);
  paper->footer(
      "Example:\n"
      "  pair paper fig-failure --loss logistic");
  return *paper;
}

void add_paper_theory(CLI::App& paper, Context& context) {
  add_paper_failure(paper, context);
  add_paper_concave(paper, context);
  add_paper_prop1(paper, context);
  add_paper_two_bit(paper, context);
  add_paper_stall(paper, context);
}

}  // namespace pair::cli

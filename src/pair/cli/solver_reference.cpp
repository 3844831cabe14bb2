#include "pair/cli/reference.h"
#include "pair/moo/registry.h"

namespace pair::cli {
namespace {

// Options whose default differs in training.
std::string training_part(const moo::SolverEntry& entry) {
  std::string text;
  for (const auto& [name, value] : entry.in_training) {
    text += "In training, the default of `" + name + "` is `" + value + "`.\n\n";
  }
  return text;
}

std::string solver_page(const moo::SolverEntry& entry) {
  std::string page = page_head(entry.name, entry.summary) + formula_part(entry.manual.formula) +
                     advice_part(entry.manual.advice) + options_part(entry.options) + training_part(entry) +
                     "## Example\n\n    pair solve --solver " + entry.name +
                     " examples/solve.jsonl\n    pair train --solver " + entry.name + "\n\n" +
                     cited_part(entry.manual.cited);
  page.pop_back();  // one line feed at the end
  return page;
}

}  // namespace

Reference solvers_reference() {
  Reference reference{
      "Solvers",
      "A solver turns losses, gradients and a preference into one weight per objective. `pair train --solver "
      "NAME` "
      "and `pair solve --solver NAME` select one. Notation: w are the weights, which sum to 1; L the losses; "
      "p the "
      "preference; g_i the gradient of objective i and C the inner products C_ij = g_i . g_j; m the number "
      "of "
      "objectives. These pages are generated from the declarations in `src/pair/moo` by `scripts/reference`.",
      {}};
  for (const moo::SolverEntry& entry : moo::solvers()) {
    reference.pages.push_back({entry.name, entry.summary, solver_page(entry)});
  }
  return reference;
}

}  // namespace pair::cli

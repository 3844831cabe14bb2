#include "pair/cli/train_commands.h"

#include <malloc.h>

#include <limits>
#include <string>
#include <vector>

#include "pair/cli/commands.h"
#include "pair/cli/model_commands.h"
#include "pair/cli/paper.h"
#include "pair/cli/sweep.h"
#include "pair/runs/known_settings.h"

namespace pair::cli {

// Every training step allocates the same hundreds of megabytes. If they were returned to the system in
// between, every page would be faulted in and cleared again, a sixth of the time of a ColoredMNIST step.
void prepare_to_train() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  ::mallopt(M_ARENA_MAX, 1);
#endif
}

void add_train_commands(CLI::App& app, Context& context) {
  context.settings = [] {
    std::vector<std::string> names;
    for (const runs::KnownSetting& known : runs::known_settings()) {
      names.push_back(known.name);
    }
    return names;
  };
  add_train(app, context);
  add_data(app, context);
  CLI::App& sweep = add_sweep(app);
  add_sweep_launch(sweep, context);
  add_sweep_keeping(sweep, context);
  add_demo(app, context);
  add_predict(app, context);
  add_score(app, context);
  add_export(app, context);
}

void add_paper_commands(CLI::App& app, Context& context) {
  CLI::App& paper = add_paper(app);
  add_paper_theory(paper, context);
  add_paper_extrapolation(paper, context);
  add_paper_studies(paper, context);
  add_paper_tables(paper, context);
  add_paper_table3(paper, context);
  add_paper_wilds(paper, context);
}

}  // namespace pair::cli

// Built in place of the training commands into the program without LibTorch, where another has it. What is
// said here of a command is what that command says of itself; a test compares.

#include "pair/cli/data.h"
#include "pair/cli/hand_over.h"
#include "pair/cli/sweep.h"
#include "pair/cli/train_commands.h"
#include "pair/cli/train_lists.h"
#include "pair/paper/studies.h"

namespace pair::cli {

void prepare_to_train() {}

void add_train_commands(CLI::App& app, Context& context) {
  add_elsewhere(app, context, Part::training, "train", "Train a model and record how it does");
  add_data(app, context);
  CLI::App& sweep = add_sweep(app);
  add_elsewhere(sweep, context, Part::training, "launch", "Run what is missing of a sweep");
  add_sweep_keeping(sweep, context);
  add_elsewhere(app, context, Part::training, "demo", "Train ERM and PAIR-o side by side and see what holds up");
}

void add_paper_tables(CLI::App& paper, Context& context) {
  add_elsewhere(paper, context, Part::training, "table1", "ColoredMNIST: ERM, IRMv1, V-REx, IRMX, PAIR-o, oracle");
  add_elsewhere(paper, context, Part::training, "robustness",
                "PAIR-o's guarded and plain step over learning rates and pretraining");
  add_elsewhere(paper, context, Part::training, "table6", "ColoredMNIST: IRMv1 joined by another objective, four ways");
  add_elsewhere(paper, context, Part::training, "table7", "ColoredMNIST: IRMv1 with every combination of IB, V-REx, Fishr");
}

void add_paper_table3(CLI::App& paper, Context& context) {
  add_elsewhere(paper, context, Part::training, "table3",
                "DomainBed's ColoredMNIST: each algorithm chosen with and without PAIR-s");
}

void add_paper_extrapolation(CLI::App& paper, Context& context) {
  add_elsewhere(paper, context, Part::training, "fig-extrapolation",
                "What methods predict beyond their training data, and whether x2 matters to them");
}

void add_paper_studies(CLI::App& paper, Context& context) {
  for (const paper::Study& study : paper::studies()) {
    add_elsewhere(paper, context, Part::training, study.name, study.summary);
  }
}

std::vector<ListKind> train_lists(const Context& context) {
  const auto elsewhere = [&context]() -> std::vector<Listed> { hand_over(context, Part::training); };
  return lists_for_training(elsewhere, elsewhere);
}

}  // namespace pair::cli

// Replaces the training commands in the program without LibTorch. The summaries here must equal those of the
// commands themselves; a test compares them.

#include <algorithm>
#include <string_view>

#include "pair/cli/commands.h"
#include "pair/cli/hand_over.h"
#include "pair/cli/paper.h"
#include "pair/cli/train_commands.h"

namespace pair::cli {
namespace {

// Whether the arguments begin with 'paper' and a command that does not need LibTorch.
bool is_paper_theory(Context& context) {
  if (context.arguments.size() < 3 || context.arguments[1] != std::string_view("paper")) {
    return false;
  }
  CLI::App theory;
  add_paper_theory(theory, context);
  return std::ranges::any_of(theory.get_subcommands([](const CLI::App*) { return true; }),
                             [&](const CLI::App* one) { return one->check_name(context.arguments[2]); });
}

}  // namespace

void prepare_to_train() {}

void add_train_commands(CLI::App& app, Context& context) {
  add_elsewhere(app, context, Part::training, "train", "Train a model and record its losses and accuracies");
  add_data(app, context);
  add_elsewhere(app, context, Part::training, "sweep",
                "Run many trainings: algorithms, datasets, draws of settings, seeds");
  add_elsewhere(app, context, Part::training, "demo",
                "Train ERM and PAIR-o on ColoredMNIST and compare them");
  add_elsewhere(app, context, Part::training, "predict", "Apply a trained model to new inputs");
  add_elsewhere(app, context, Part::training, "score", "Measure a trained model on labelled data");
  add_elsewhere(app, context, Part::training, "export", "Copy a trained model's weights, for other programs");
}

void add_paper_commands(CLI::App& app, Context& context) {
  if (is_paper_theory(context)) {
    add_paper_theory(add_paper(app), context);
    return;
  }
  add_elsewhere(app, context, Part::training, "paper",
                "Make a table or a figure of the paper, or check its theory");
}

std::vector<ListKind> train_lists(const Context& context) {
  std::vector<ListKind> kinds = training_kinds();
  for (ListKind& kind : kinds) {
    kind.entries = [&context]() -> std::vector<Listed> { hand_over(context, Part::training); };
    if (kind.name == "algorithms" || kind.name == "objectives") {
      kind.reference = [&context]() -> Reference { hand_over(context, Part::training); };
    }
    if (kind.name == "hparams") {
      kind.write_draw = [&context](const DrawRequest&, bool, std::ostream&) {
        hand_over(context, Part::training);
      };
    }
    if (kind.name == "hparams" || kind.name == "settings") {
      kind.filtered = [&context](const ListFilter&) -> std::vector<Listed> {
        hand_over(context, Part::training);
      };
    }
  }
  return kinds;
}

}  // namespace pair::cli

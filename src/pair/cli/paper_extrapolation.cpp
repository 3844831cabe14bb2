#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "pair/cli/output_options.h"
#include "pair/cli/recipe.h"
#include "pair/cli/train_commands.h"
#include "pair/paper/extrapolation.h"
#include "pair/paper/extrapolation_figure.h"
#include "pair/paper/provenance.h"
#include "pair/paper/table.h"

namespace pair::cli {
namespace {

struct PaperExtrapolationArguments : RecipeArguments {
  std::string sampling = "uniform";
  std::string problem = "paper";
  std::vector<std::string> penalties;
  std::vector<std::string> preferences;
  FigureOptions output;
};

void run(const PaperExtrapolationArguments& arguments, Context& context) {
  arguments.output.check();
  using Sampling = data::ExtrapolationSpec::Sampling;
  const paper::ExtrapolationRequest request{
      arguments.sampling == "uniform" ? Sampling::uniform : Sampling::gaussian,
      arguments.methods,
      seeds_of(arguments.seeds),
      common_overrides(arguments),
      arguments.penalties,
      arguments.preferences,
      arguments.problem == "notebook" ? paper::ExtrapolationProblem::notebook
                                      : paper::ExtrapolationProblem::paper};
  nlohmann::json result;
  run_recipe(context, [&](const sweep::ManyRunsHooks& hooks) {
    result = paper::extrapolation(request, arguments.out, arguments.jobs, hooks);
    return !result.is_null();
  });
  if (result.is_null()) {
    return;
  }
  result["made"] = paper::provenance(arguments.device);
  mark_changed(arguments, result);
  arguments.output.write(
      result, [&] { return paper::extrapolation_figure(result); },
      [&] {
        return paper::changed_text(result) + paper::extrapolation_text(result) + "\nRecords in " +
               arguments.out + "\n";
      },
      context.out);
}

}  // namespace

void add_paper_extrapolation(CLI::App& paper, Context& context) {
  const auto arguments = std::make_shared<PaperExtrapolationArguments>();
  arguments->seeds = "0-4";
  CLI::App* command = paper.add_subcommand(
      "fig-extrapolation", "Predictions outside of the training data, and whether they depend on x2");
  command
      ->add_option("--sampling", arguments->sampling,
                   "Distribution of the training data: uniform or gaussian")
      ->check(CLI::IsMember({"uniform", "gaussian"}))
      ->capture_default_str();
  command
      ->add_option("--problem", arguments->problem,
                   "paper: as the paper describes it; notebook: as the release's notebook computes it")
      ->check(CLI::IsMember({"paper", "notebook"}))
      ->capture_default_str();
  add_recipe_options(*command, arguments, paper::extrapolation_methods());
  command
      ->add_option("--penalties", arguments->penalties,
                   "Penalty weights to choose from (default: 0.01 0.1 1 10; notebook: from 1e-4)")
      ->expected(1, -1);
  command
      ->add_option("--preferences", arguments->preferences,
                   "PAIR-o's preferences to choose from, such as 1,1e4,1e12 1,1e8,1e8 (default: the paper's "
                   "six; notebook: "
                   "also 1,1e12,1e4)")
      ->expected(1, -1);
  arguments->output.add(*command, "a table");
  command->footer(
      "By default, there are 49 runs of 50,000 steps: 25 that settings are chosen by, and 24 with other\n"
      "seeds; with '--problem notebook', 57 of 100,000 steps. A run of 50,000 steps takes about two\n"
      "minutes on one core. Finished runs are read, not repeated; Ctrl-C stops cleanly, and the same\n"
      "command continues.\n\n"
      "Example:\n"
      "  pair paper fig-extrapolation --sampling gaussian --save extrapolation.svg\n"
      "  pair paper fig-extrapolation --methods erm,pair --seeds 0 --set steps=5000");
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace pair::cli

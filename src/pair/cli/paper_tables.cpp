#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "pair/cli/output_options.h"
#include "pair/cli/recipe.h"
#include "pair/cli/train_commands.h"
#include "pair/paper/generality.h"
#include "pair/paper/provenance.h"
#include "pair/paper/table1.h"

namespace pair::cli {
namespace {

struct PaperTablesArguments : RecipeArguments {
  TableOptions output;
  double percentile = 0.5;
  std::size_t search_seeds = 2;
  std::string rows = "all";
};

void add_search_options(CLI::App& command, PaperTablesArguments& arguments) {
  command
      .add_option(
          "--search-seeds", arguments.search_seeds,
          "Number of seeds, the first ones, by which the linear scheme's penalty and annealing are chosen; "
          "0: all, as in the paper. The chosen setting runs on all seeds")
      ->check(CLI::Range(0, 10'000))
      ->capture_default_str();
  command
      .add_option(
          "--percentile", arguments.percentile,
          "DomainBed's form of PAIR-s leaves out runs whose training accuracy is below this fraction of "
          "the way from the smallest to the largest; 0: none")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      .add_option(
          "--rows", arguments.rows,
          "all, or a part of the table: linear (the linear scheme, ERM and the oracle), pair (PAIR-o's "
          "guarded step), plain (PAIR-o with the paper's step) or sepo (the same with the solver SEPO)")
      ->check(CLI::IsMember({"all", "linear", "pair", "plain", "sepo"}))
      ->capture_default_str();
}

void run_table(const paper::Table& table, const std::vector<std::uint64_t>& seeds,
               const PaperTablesArguments& arguments, Context& context) {
  sweep::ManyRuns runs;
  paper::Table chosen;
  run_recipe(context, [&](const sweep::ManyRunsHooks& hooks) {
    runs = sweep::run_all(paper::specs_of(paper::first_stage(table)), arguments.out, arguments.jobs, hooks);
    if (!runs.stopped) {
      chosen = paper::second_stage(table, runs);
      runs = sweep::run_all(paper::specs_of(chosen), arguments.out, arguments.jobs, hooks);
    }
    return !runs.stopped;
  });
  if (runs.stopped) {
    return;
  }
  nlohmann::json result = paper::result_json(chosen, runs, seeds);
  result["made"] = paper::provenance(arguments.device);
  mark_changed(arguments, result);
  arguments.output.write_file(result);
  if (arguments.output.format == "json") {
    context.out << result.dump(1) << '\n';
  } else if (arguments.output.format == "markdown") {
    context.out << paper::as_markdown(result);
  } else {
    context.out << paper::as_text(result) << "\nRecords in " << arguments.out << '\n';
  }
  flush(context.out);
  report_failures(runs, context);
}

void add_options(CLI::App& command, const std::shared_ptr<PaperTablesArguments>& arguments,
                 const std::vector<std::string>& methods = {}, const std::string& option = "--methods") {
  add_recipe_options(command, arguments, methods, option);
  arguments->output.add(command, {"text", "markdown", "json"}, "text, markdown or json",
                        "Also write the numbers, with machine and versions, to this file");
}

paper::GeneralityRequest generality_request(const PaperTablesArguments& arguments,
                                            const std::vector<std::uint64_t>& seeds,
                                            const base::Assignments& common) {
  using Rows = paper::GeneralityRequest::Rows;
  const Rows rows = arguments.rows == "linear"  ? Rows::linear
                    : arguments.rows == "pair"  ? Rows::pair
                    : arguments.rows == "plain" ? Rows::plain
                    : arguments.rows == "sepo"  ? Rows::sepo
                                                : Rows::all;
  return {arguments.methods, seeds, common, arguments.search_seeds, arguments.percentile, rows};
}

template <class MakeTable>
void add_recipe(CLI::App& command, const std::shared_ptr<PaperTablesArguments>& arguments, Context& context,
                MakeTable make) {
  command.callback([arguments, &context, make] {
    const std::vector<std::uint64_t> seeds = seeds_of(arguments->seeds);
    run_table(make(seeds, common_overrides(*arguments)), seeds, *arguments, context);
  });
}

}  // namespace

void add_paper_tables(CLI::App& paper, Context& context) {
  const auto table1 = std::make_shared<PaperTablesArguments>();
  table1->seeds = "0-9";
  CLI::App* command =
      paper.add_subcommand("table1", "ColoredMNIST: ERM, IRMv1, V-REx, IRMX, PAIR-o with two steps, oracle");
  add_options(*command, table1, paper::table1_methods());
  command->footer(
      "Ten seeds of all methods take hours on two cores and minutes on a GPU. Finished runs are\n"
      "read, not repeated; Ctrl-C stops cleanly, and the same command continues.\n\n"
      "Example:\n"
      "  pair paper table1 --methods erm,pair_w --seeds 0-2\n"
      "  pair paper table1 --device cuda --jobs 4 --save docs/results/table1.json");
  add_recipe(*command, table1, context, [table1](const auto& seeds, const auto& common) {
    return paper::table1(table1->methods, seeds, common);
  });

  const auto robust = std::make_shared<PaperTablesArguments>();
  robust->seeds = "0-4";
  command = paper.add_subcommand(
      "robustness", "PAIR-o with the guarded step and with the paper's, by learning rate and pretraining");
  add_options(*command, robust);
  command->footer(
      "Finished runs are read, not repeated; Ctrl-C stops cleanly, and the same command continues.\n\n"
      "Example:\n"
      "  pair paper robustness --device cuda --jobs 4 --format markdown");
  add_recipe(*command, robust, context,
             [](const auto& seeds, const auto& common) { return paper::robustness(seeds, common); });

  const auto six = std::make_shared<PaperTablesArguments>();
  six->seeds = "0-9";
  command =
      paper.add_subcommand("table6", "ColoredMNIST: IRMv1 with another objective, linear scheme and PAIR-o");
  add_options(*command, six, paper::generality_objectives(), "--methods,--objectives");
  add_search_options(*command, *six);
  command->footer(
      "About 3,600 runs with all objectives and ten seeds: for a GPU. Finished runs are read, not repeated;\n"
      "Ctrl-C stops cleanly, and the same command continues.\n\n"
      "Example:\n"
      "  pair paper table6 --methods vrex,fishr --seeds 0 --device cuda --jobs 6");
  add_recipe(*command, six, context, [six](const auto& seeds, const auto& common) {
    return paper::table6(generality_request(*six, seeds, common));
  });

  const auto seven = std::make_shared<PaperTablesArguments>();
  seven->seeds = "0-9";
  command = paper.add_subcommand("table7", "ColoredMNIST: IRMv1 with every combination of IB, V-REx, Fishr");
  add_options(*command, seven);
  add_search_options(*command, *seven);
  command->footer(
      "About 3,200 runs with ten seeds: for a GPU. Finished runs are read, not repeated; Ctrl-C stops "
      "cleanly,\n"
      "and the same command continues.\n\n"
      "Example:\n"
      "  pair paper table7 --device cuda --jobs 6");
  add_recipe(*command, seven, context, [seven](const auto& seeds, const auto& common) {
    return paper::table7(generality_request(*seven, seeds, common));
  });
}

}  // namespace pair::cli

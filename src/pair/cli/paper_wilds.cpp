#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "pair/base/names.h"
#include "pair/base/options.h"
#include "pair/cli/output_file.h"
#include "pair/cli/paper.h"
#include "pair/cli/recipe.h"
#include "pair/data/wilds.h"
#include "pair/data/wilds_generate.h"
#include "pair/paper/table.h"
#include "pair/paper/wilds_tables.h"
#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"
#include "pair/sweep/many_runs.h"

namespace pair::cli {
namespace {

struct PaperWildsArguments : RecipeArguments {
  std::string data_root;
  std::string datasets;
  std::int64_t seeds_per_dataset = 0;
  bool quick = false;
  std::string format = "text";
  std::string save;
};

// For --quick without a folder: made-up datasets next to the runs, made once.
std::string made_up_root(const std::string& out, const std::vector<std::string>& datasets) {
  const std::filesystem::path root = std::filesystem::path(out) / "made-up";
  for (const std::string& name : datasets) {
    if (!std::filesystem::exists(root / (name + "_v" + std::string(data::wilds_named(name).version)))) {
      data::generate_wilds(name, root, {.samples = 2});
    }
  }
  return root.string();
}

void run_wilds_table(const std::string& name, const PaperWildsArguments& arguments, Context& context) {
  const std::vector<std::string> known =
      name == "table2" ? paper::table2_datasets() : paper::table5_datasets();
  paper::WildsTablesRequest request{
      .data_root = arguments.data_root,
      .datasets = arguments.datasets.empty() ? known : base::comma_separated(arguments.datasets),
      .methods = arguments.methods,
      .seeds = arguments.seeds_per_dataset,
      .common = common_overrides(arguments),
      .quick = arguments.quick};
  for (const std::string& dataset : request.datasets) {
    if (std::ranges::find(known, dataset) == known.end()) {
      const std::vector<std::string_view> names(known.begin(), known.end());
      throw UsageError(base::unknown_name("dataset of " + name, dataset, names));
    }
  }
  if (request.quick && request.data_root.empty()) {
    request.data_root = made_up_root(arguments.out, request.datasets);
  }
  const std::vector<paper::WildsCell> cells =
      name == "table2" ? paper::table2_cells(request) : paper::table5_cells(request);
  std::vector<runs::RunSpec> specs;
  for (const paper::WildsCell& cell : cells) {
    specs.insert(specs.end(), cell.specs.begin(), cell.specs.end());
  }
  sweep::require_runnable(specs, arguments.out);
  sweep::ManyRuns runs;
  run_recipe(context, [&](const sweep::ManyRunsHooks& hooks) {
    runs = sweep::run_all(specs, arguments.out, arguments.jobs, hooks);
    return !runs.stopped;
  });
  if (runs.stopped) {
    return;
  }
  std::vector<std::vector<double>> values(cells.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t s = 0; s < cells[i].specs.size(); ++s) {
      const sweep::RunOutcome& outcome = runs.outcomes[at++];
      if (outcome.status == sweep::RunOutcome::Status::done) {
        values[i].push_back(
            paper::chosen_test_score(runs::read_records(runs::results_file(outcome.directory))));
      }
    }
  }
  nlohmann::json result = paper::wilds_table_json(name, cells, values);
  result["quick"] = arguments.quick;
  result["made"] = paper::provenance(arguments.device);
  mark_changed(arguments, result);
  if (!arguments.save.empty()) {
    write_output(arguments.save, result.dump(1) + '\n');
  }
  if (arguments.format == "json") {
    context.out << result.dump(1) << '\n';
  } else {
    context.out << (arguments.quick ? "A trial with few steps, not the paper's settings\n\n" : "")
                << paper::changed_text(result) << paper::wilds_table_text(result) << "\nRecords in "
                << arguments.out << '\n';
  }
  report_failures(runs, context);
}

void add_wilds_table(CLI::App& paper, Context& context, const std::string& name, const std::string& summary,
                     const std::vector<std::string>& methods, const std::string& example) {
  const auto arguments = std::make_shared<PaperWildsArguments>();
  CLI::App* command = paper.add_subcommand(name, summary);
  add_recipe_options(*command, arguments, methods, "--methods", /*seeds=*/false);
  command
      ->add_option("--data-root", arguments->data_root,
                   "The folder that holds WILDS' datasets (docs/wilds.md)")
      ->type_name("DIR");
  command->add_option("--datasets", arguments->datasets,
                      "Datasets, separated by commas (default: all of the table)");
  command
      ->add_option("--seeds", arguments->seeds_per_dataset,
                   "Seeds, or folds of poverty, per dataset; 0: the paper's 10, 5 or 3")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->add_flag("--quick", arguments->quick,
                    "Few steps of a small network, on made-up data if there is no --data-root");
  command->add_option("--format", arguments->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_option("--save", arguments->save, "Also write the numbers to this file");
  command->footer(
      "The paper's runs take days on a GPU. Finished runs are read, not repeated; Ctrl-C stops cleanly, and "
      "the same\n"
      "command continues. Models are chosen by WILDS' metric on the validation split.\n\n"
      "Example:\n  " +
      example);
  command->callback([arguments, &context, name] {
    try {
      run_wilds_table(name, *arguments, context);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  });
}

}  // namespace

void add_paper_wilds(CLI::App& paper, Context& context) {
  add_wilds_table(
      paper, context, "table2", "WILDS: all methods on the paper's datasets", paper::table2_methods(),
      "pair paper table2 --data-root ~/wilds --datasets camelyon17 --methods erm,pair --device cuda");
  add_wilds_table(paper, context, "table5", "WILDS: IRMX with nine pairs of penalties, and PAIR-o", {},
                  "pair paper table5 --data-root ~/wilds --datasets fmow --device cuda");
}

}  // namespace pair::cli

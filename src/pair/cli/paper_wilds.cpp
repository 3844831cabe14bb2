#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/base/names.h"
#include "pair/base/options.h"
#include "pair/cli/output_options.h"
#include "pair/cli/paper.h"
#include "pair/cli/recipe.h"
#include "pair/cli/train_data.h"
#include "pair/data/wilds.h"
#include "pair/data/wilds_generate.h"
#include "pair/paper/provenance.h"
#include "pair/paper/table.h"
#include "pair/paper/wilds_tables.h"
#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"
#include "pair/sweep/many_runs.h"

namespace pair::cli {
namespace {

struct PaperWildsArguments : RecipeArguments {
  std::string data_root;
  std::string vocab;
  std::vector<std::string> weights;  // MODEL=FILE
  std::string datasets;
  bool quick = false;
  TableOptions output;
};

// For --quick without a folder: synthetic datasets next to the runs, made once.
std::string made_up_root(const std::string& out, const std::vector<std::string>& datasets) {
  const std::filesystem::path root = std::filesystem::path(out) / "made-up";
  for (const std::string& name : datasets) {
    if (!std::filesystem::exists(root / (name + "_v" + std::string(data::wilds_named(name).version)))) {
      data::generate_wilds(name, root, {.samples = 2});
    }
  }
  return root.string();
}

// The vocabulary for civilcomments; empty if the table does not have it.
std::string vocabulary_of(const PaperWildsArguments& arguments, const paper::WildsTablesRequest& request) {
  if (std::ranges::find(request.datasets, "civilcomments") == request.datasets.end()) {
    return {};
  }
  if (!arguments.vocab.empty()) {
    return arguments.vocab;
  }
  if (request.quick) {
    return (std::filesystem::path(request.data_root) / "civilcomments_vocab.txt").string();
  }
  throw UsageError(
      "--vocab: expected BERT's vocabulary, vocab.txt, for civilcomments, got none; --datasets leaves it "
      "out");
}

// "distilbert=model.safetensors", for each model that the tables train.
std::map<std::string, std::string> weights_by_model(const std::vector<std::string>& typed) {
  constexpr std::array<std::string_view, 3> models{"densenet121", "resnet50", "distilbert"};
  std::map<std::string, std::string> files;
  for (const std::string& text : typed) {
    const std::size_t sign = text.find('=');
    const std::string model = text.substr(0, sign);
    const std::string file = sign == std::string::npos ? "" : text.substr(sign + 1);
    if (file.empty() || file == "none" || std::ranges::find(models, model) == models.end()) {
      throw UsageError("--weights: expected MODEL=FILE with densenet121, resnet50 or distilbert, got '" +
                       base::printable(text) + "'");
    }
    base::Assignments setting{{"weights", file}};
    check_files(setting);
    make_paths_absolute(setting);
    files[model] = setting.front().second;
  }
  return files;
}

void run_wilds_table(const std::string& name, const PaperWildsArguments& arguments, Context& context) {
  const std::vector<std::string> known =
      name == "table2" ? paper::table2_datasets() : paper::table5_datasets();
  paper::WildsTablesRequest request{
      .data_root = arguments.data_root,
      .datasets = arguments.datasets.empty() ? known : base::comma_separated(arguments.datasets),
      .methods = arguments.methods,
      .seeds = arguments.seeds.empty() ? std::vector<std::uint64_t>() : seeds_of(arguments.seeds),
      .weights = weights_by_model(arguments.weights),
      .quick = arguments.quick};
  for (const std::string& dataset : request.datasets) {
    if (std::ranges::find(known, dataset) == known.end()) {
      const std::vector<std::string_view> names(known.begin(), known.end());
      throw UsageError(base::unknown_name("dataset of " + name, dataset, names));
    }
  }
  check_files(typed_overrides(arguments));  // before data is made
  if (request.quick && request.data_root.empty()) {
    request.data_root = made_up_root(arguments.out, request.datasets);
  }
  base::Assignments own;
  if (std::string vocab = vocabulary_of(arguments, request); !vocab.empty()) {
    own.emplace_back("vocab", std::move(vocab));
  }
  request.common = common_overrides(arguments, own);
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
  arguments.output.write_file(result);
  if (arguments.output.format == "json") {
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
  command->add_option("--vocab", arguments->vocab, "For civilcomments: BERT's vocabulary, vocab.txt")
      ->type_name("FILE");
  command
      ->add_option("--weights", arguments->weights,
                   "Pretrained weights to start with, as MODEL=FILE; several for densenet121, resnet50 and "
                   "distilbert")
      ->type_name("MODEL=FILE");
  command->add_option("--datasets", arguments->datasets,
                      "Datasets, separated by commas (default: all of the table)");
  command->add_option(
      "--seeds", arguments->seeds,
      "Numbers and ranges, such as 0-9 or 0,2,5-7, for each dataset; of poverty, folds from 0 "
      "(default: the paper's 10, 5 or 3)");
  command->add_flag("--quick", arguments->quick,
                    "Few steps of a small network, on synthetic data if there is no --data-root");
  arguments->output.add(*command, {"text", "json"}, "text or json");
  command->footer(
      "The paper's runs take days on a GPU. Finished runs are read, not repeated; Ctrl-C stops cleanly, and "
      "the same\n"
      "command continues. Models are chosen by WILDS' metric on the validation split.\n\n"
      "Example:\n  " +
      example);
  command->callback([arguments, &context, name] { run_wilds_table(name, *arguments, context); });
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

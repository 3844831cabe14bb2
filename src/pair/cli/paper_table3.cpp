#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/base/options.h"
#include "pair/cli/left_out.h"
#include "pair/cli/output_options.h"
#include "pair/cli/recipe.h"
#include "pair/cli/train_commands.h"
#include "pair/paper/provenance.h"
#include "pair/paper/table.h"
#include "pair/paper/table3.h"
#include "pair/runs/run.h"
#include "pair/select/read_histories.h"
#include "pair/sweep/jobs.h"
#include "pair/sweep/many_runs.h"
#include "pair/sweep/sweep_file.h"

namespace pair::cli {
namespace {

struct PaperTable3Arguments : RecipeArguments {
  std::string dataset = "ColoredMNIST";
  std::string data_root;
  std::string weights;
  std::int64_t n_hparams = 20;
  std::int64_t n_trials = 3;
  std::string validation = "train-domain";
  std::string rule = "paper";
  std::string records;
  TableOptions output;
};

paper::Table3Validation validation_of(const std::string& name) {
  return name == "test-domain"     ? paper::Table3Validation::test_domain
         : name == "leave-one-out" ? paper::Table3Validation::leave_one_out
                                   : paper::Table3Validation::train_domain;
}

select::Rule rule_of(const std::string& name) {
  return name == "release" ? select::Rule::release : select::Rule::paper;
}

// The settings of every run: those of the command line, and for pictures the paper's: pretrained weights,
// whose BatchNorm statistics stay as they are.
base::Assignments common_settings(const PaperTable3Arguments& arguments) {
  const bool pictures = arguments.dataset != "ColoredMNIST";
  if (!pictures && !(arguments.data_root.empty() && arguments.weights.empty())) {
    throw UsageError(std::string(arguments.data_root.empty() ? "--weights" : "--data-root") +
                     ": expected with --dataset PACS or TerraIncognita, got with " + arguments.dataset);
  }
  if (!pictures) {
    return common_overrides(arguments);
  }
  if (arguments.data_root.empty()) {
    throw UsageError(
        "--data-root: expected the folder that contains the dataset's folder, got none; 'pair data check " +
        arguments.dataset + " --data-root DIR' checks it");
  }
  if (arguments.weights.empty()) {
    throw UsageError(
        "--weights: expected a file of ResNet-50's weights for ImageNet, which the paper starts from, got "
        "none; --weights none trains from scratch");
  }
  base::Assignments own{{"data_root", arguments.data_root}};
  if (arguments.weights != "none") {
    own.emplace_back("weights", arguments.weights);
    own.emplace_back("freeze_bn", "true");
  }
  return common_overrides(arguments, own);
}

void write_table(const PaperTable3Arguments& arguments, const nlohmann::json& result, const std::string& runs,
                 Context& context) {
  arguments.output.write_file(result);
  if (arguments.output.format == "json") {
    context.out << result.dump(1) << '\n';
  } else {
    context.out << paper::changed_text(result) << paper::table3_text(result) << '\n' << runs << '\n';
  }
}

// The table of records that exist, for example those of scripts/pack-records.
void read_table(const PaperTable3Arguments& arguments, Context& context) {
  const std::vector<std::filesystem::path> folders{arguments.records};
  select::Histories histories = select::read_histories(folders);
  say_left_out(histories, /*all=*/false, "'pair select --explain' names all", context.err);
  std::erase_if(histories.history, [&](const select::Run& run) { return run.dataset != arguments.dataset; });
  const nlohmann::json result = paper::table3(histories.history, validation_of(arguments.validation),
                                              arguments.dataset, rule_of(arguments.rule));
  if (result.at("rows").empty()) {
    throw UsageError("--records: expected runs of " + arguments.dataset + " with " +
                     base::joined_names(paper::table3_algorithms()) + ", got none in " + arguments.records);
  }
  write_table(arguments, result, "Made of the records in " + arguments.records, context);
}

void run(const PaperTable3Arguments& arguments, Context& context) {
  if (!arguments.records.empty()) {
    return read_table(arguments, context);
  }
  const paper::Table3Validation validation = validation_of(arguments.validation);
  const std::string& dataset = arguments.dataset;
  const sweep::Definition definition =
      paper::table3_sweep(arguments.methods, arguments.n_hparams, arguments.n_trials,
                          common_settings(arguments), validation, dataset);
  std::vector<runs::RunSpec> specs;
  for (const sweep::Job& job : sweep::jobs_of(definition)) {
    specs.push_back(job.spec);
  }
  // Also makes the runs known to 'pair sweep'; only after all are known to be runnable.
  sweep::require_runnable(specs, arguments.out);
  sweep::add_to_sweep(arguments.out, definition);
  sweep::ManyRuns runs;
  run_recipe(context, [&](const sweep::ManyRunsHooks& hooks) {
    runs = sweep::run_all(specs, arguments.out, arguments.jobs, hooks);
    return !runs.stopped;
  });
  // The finished part of the sweep is shown even if it was stopped.
  std::vector<std::filesystem::path> folders;
  for (const sweep::RunOutcome& outcome : runs.outcomes) {
    if (outcome.status == sweep::RunOutcome::Status::done) {
      folders.push_back(outcome.directory);
    }
  }
  const select::Histories histories = select::read_histories(folders);
  nlohmann::json result = paper::table3(histories.history, validation, dataset, rule_of(arguments.rule));
  result["runs_in_all"] = specs.size();
  result["sweep"] = sweep::as_json(definition);
  result["made"] = paper::provenance(arguments.device);
  mark_changed(arguments, result);
  if (arguments.weights == "none") {
    result["changed_settings"].push_back("weights=none");
  }
  write_table(arguments, result,
              std::to_string(specs.size()) + (specs.size() == 1 ? " run: " : " runs: ") +
                  std::to_string(folders.size()) + " done. Records in " + arguments.out,
              context);
  report_failures(runs, context);
}

}  // namespace

void add_paper_table3(CLI::App& paper, Context& context) {
  const auto arguments = std::make_shared<PaperTable3Arguments>();
  CLI::App* command = paper.add_subcommand(
      "table3", "DomainBed's ColoredMNIST, PACS or TerraIncognita: each algorithm with and without PAIR-s");
  command->add_option("--dataset", arguments->dataset, "ColoredMNIST (DomainBed's), PACS or TerraIncognita")
      ->check(CLI::IsMember(paper::table3_datasets()))
      // The name that the option had.
      ->transform([](const std::string& name) { return name == "cmnist" ? "ColoredMNIST" : name; })
      ->capture_default_str();
  command->add_option("--data-root", arguments->data_root,
                      "PACS, TerraIncognita: folder that contains the dataset's folder");
  command->add_option("--weights", arguments->weights,
                      "PACS, TerraIncognita: ResNet-50's weights for ImageNet (docs/models.md), or none");
  add_recipe_options(*command, arguments, paper::table3_algorithms(), "--methods,--algorithms",
                     /*seeds=*/false, /*half=*/true);
  command
      ->add_option("--n-hparams", arguments->n_hparams,
                   "Draws of hyperparameters; the first has the defaults")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command
      ->add_option("--n-trials", arguments->n_trials,
                   "Trials, each with its own data split and initial model")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command
      ->add_option(
          "--validation", arguments->validation,
          "train-domain, test-domain, or leave-one-out, which also needs a run per pair of domains, and an "
          "--out of its own")
      ->check(CLI::IsMember({"train-domain", "test-domain", "leave-one-out"}))
      ->capture_default_str();
  command
      ->add_option("--rule", arguments->rule,
                   "PAIR-s: paper (Algorithm 2) or release (the rule of the paper's released program)")
      ->check(CLI::IsMember({"paper", "release"}))
      ->capture_default_str();
  command
      ->add_option("--records", arguments->records,
                   "Make the table of the records in this folder, such as scripts/pack-records unpacks, and "
                   "train nothing")
      ->check(CLI::ExistingDirectory)
      ->excludes("--out", "--jobs", "--n-hparams", "--n-trials", "--methods", "--set", "--device",
                 "--precision", "--tf32", "--half", "--data-root", "--weights");
  arguments->output.add(*command, {"text", "json"}, "text or json");
  command->footer(
      "The paper's 900 runs of 5,001 steps are for a GPU; needs 'pair data get mnist'. Finished runs are\n"
      "read, not repeated; Ctrl-C stops cleanly, shows the results so far, and the same command continues. "
      "The runs\n"
      "are a sweep: 'pair sweep status --out DIR' shows its progress. Other settings need another --out.\n\n"
      "PACS and TerraIncognita: 1,200 runs of ResNet-50 each, 5,001 steps.\n\n"
      "Example:\n"
      "  pair paper table3 --dataset PACS --data-root data --weights resnet50.safetensors --device cuda\n"
      "  pair paper table3 --n-hparams 2 --n-trials 1 --methods erm,irmv1 --device cuda --jobs 8\n"
      "  pair paper table3 --records unpacked --validation test-domain");
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace pair::cli

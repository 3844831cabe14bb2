#include "pair/cli/sweep_arguments.h"

#include <span>
#include <stdexcept>

#include "pair/algorithms/registry.h"
#include "pair/cli/parse_errors.h"
#include "pair/cli/set_option.h"
#include "pair/cli/train_data.h"
#include "pair/sweep/filter.h"
#include "pair/sweep/sweep_file.h"

namespace pair::cli {

namespace {

std::vector<runs::Override> settings_of(const SweepArguments& arguments) {
  std::vector<runs::Override> settings = arguments.shorthands;
  append_set_option(arguments.set, settings);
  add_weights_digest(settings);
  return settings;
}

std::vector<sweep::TestEnvs> test_envs_of(const SweepArguments& arguments) {
  std::vector<sweep::TestEnvs> sets;
  for (const std::string& text : arguments.test_envs) {
    sets.push_back(sweep::test_envs_of(text));
  }
  return sets;
}

std::vector<sweep::Definition> known_sweep(const SweepArguments& arguments) {
  check_sweep_folder(arguments.out);
  std::vector<sweep::Definition> known = sweep::read_sweep(arguments.out);
  if (known.empty()) {
    throw UsageError("'" + arguments.out + "' holds no sweep; expected a folder made by 'pair sweep launch'");
  }
  return known;
}

}  // namespace

void add_sweep_folder(CLI::App& command, std::string& out) {
  CLI::Option* const folder = command.add_option("DIR", out, "The sweep's folder")->type_name("");
  command.add_option("--out", out, "The same as DIR")->type_name("DIR")->excludes(folder);
}

void check_sweep_folder(const std::string& out) {
  if (out.empty()) {
    throw UsageError("DIR: expected the sweep's folder, got none");
  }
}

void add_sweep_options(CLI::App& command, SweepArguments& arguments, SweepOptions options) {
  const bool define = options == SweepOptions::define;
  const auto setting = [&](const std::string& option, const std::string& key, const std::string& help) {
    command
        .add_option_function<std::string>(
            option,
            [&arguments, key](const std::string& text) { arguments.shorthands.emplace_back(key, text); },
            help)
        ->type_name("TEXT");
  };
  if (define) {
    command.add_option("--out", arguments.out, "The sweep's folder")->type_name("DIR")->required();
  } else {
    add_sweep_folder(command, arguments.out);
  }
  command
      .add_option("--datasets", arguments.datasets,
                  define ? "Names of 'pair list datasets', separated by commas"
                         : "Only runs on these, separated by commas")
      ->delimiter(',');
  command
      .add_option("--algorithms", arguments.algorithms,
                  define ? "Names of 'pair list algorithms', or DomainBed's, separated by commas"
                         : "Only runs with these, separated by commas")
      ->delimiter(',');
  command.add_option("--n-hparams", arguments.n_hparams,
                     define ? "Draws of the hyperparameters; the first has the defaults (default 20)"
                            : "Only the first N draws");
  command.add_option(
      "--n-trials", arguments.n_trials,
      define ? "Number of seeds of data and model, from 0 (default 3)" : "Only the first N trials");
  command.add_option("--test-envs", arguments.test_envs,
                     define ? "Sets of test environments: 0 1 0,1 (default: each alone and every pair)"
                            : "Only runs with one of these sets of test environments, such as 0 1 0,1");
  command.add_flag("--single-test-envs", arguments.single_test_envs,
                   define ? "Only single test environments: fewer runs, but none for leave-one-out"
                          : "Only runs with one test environment");
  command.add_option("--search", arguments.search,
                     define ? "Distributions to draw from: domainbed (default) or paper"
                            : "Only runs drawn this way: domainbed or paper");
  setting("--steps", "steps",
          define ? "Updates of every run (default: the dataset's)" : "Only runs with this many updates");
  setting("--device", "device", define ? "cpu, cuda or cuda:N (default cpu)" : "Only runs for this device");
  if (define) {
    const auto flag = [&](const std::string& option, const std::string& key, const std::string& help) {
      command.add_flag_callback(
          option, [&arguments, key] { arguments.shorthands.emplace_back(key, "true"); }, help);
    };
    setting("--precision", "precision",
            "Arithmetic of the steps: fp32 (default), tf32 (on CUDA devices) or bf16 (mixed precision)");
    flag("--tf32", "tf32", "The same as --precision tf32");
    flag("--half", "half", "Steps of mnist_cnn in fp16, by its own kernels on CUDA devices");
    setting("--keep-checkpoints", "keep_checkpoints",
            "Models to keep in each run's folder: last (default), best or all; see 'pair train --help'");
  }
  command
      .add_option("--set", arguments.set,
                  define ? "A setting for every run that has it, key=value; see 'pair list settings'"
                         : "Only runs with this setting, key=value")
      ->type_name(setting_type);
}

std::optional<sweep::Definition> definition_of(const SweepArguments& arguments) {
  const bool any = !arguments.datasets.empty() || !arguments.algorithms.empty() || arguments.n_hparams ||
                   arguments.n_trials || !arguments.test_envs.empty() || arguments.single_test_envs ||
                   !arguments.search.empty() || !arguments.shorthands.empty() || !arguments.set.empty();
  if (!any) {
    return std::nullopt;
  }
  if (arguments.datasets.empty() || arguments.algorithms.empty()) {
    throw UsageError(
        "a new sweep needs at least --datasets and --algorithms; without such options, "
        "the sweep in --out is used");
  }
  sweep::Definition definition;
  definition.datasets = arguments.datasets;
  for (const std::string& name : arguments.algorithms) {
    definition.algorithms.emplace_back(algorithms::algorithm_named(name).name);
  }
  definition.n_hparams = arguments.n_hparams.value_or(definition.n_hparams);
  definition.n_trials = arguments.n_trials.value_or(definition.n_trials);
  definition.test_envs = test_envs_of(arguments);
  definition.single_test_envs = arguments.single_test_envs;
  if (!arguments.search.empty()) {
    definition.search = sweep::search_named(arguments.search);
  }
  definition.set = settings_of(arguments);
  return definition;
}

std::vector<sweep::Job> jobs_of(const SweepArguments& arguments) {
  return sweep::jobs_of(known_sweep(arguments));
}

std::vector<sweep::Job> filtered_jobs_of(const SweepArguments& arguments) {
  sweep::Filter filter;
  filter.datasets = arguments.datasets;
  filter.algorithms = arguments.algorithms;
  filter.n_hparams = arguments.n_hparams;
  filter.n_trials = arguments.n_trials;
  filter.test_envs = test_envs_of(arguments);
  filter.single_test_envs = arguments.single_test_envs;
  if (!arguments.search.empty()) {
    filter.search = sweep::search_named(arguments.search);
  }
  filter.set = settings_of(arguments);
  return sweep::filtered(known_sweep(arguments), filter);
}

}  // namespace pair::cli

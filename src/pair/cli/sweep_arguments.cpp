#include "pair/cli/sweep_arguments.h"

#include <span>
#include <stdexcept>

#include "pair/sweep/sweep_file.h"

namespace pair::cli {

void add_sweep_options(CLI::App& command, SweepArguments& arguments) {
  const auto setting = [&](const std::string& option, const std::string& key, const std::string& help) {
    command
        .add_option_function<std::string>(
            option,
            [&arguments, key](const std::string& text) { arguments.shorthands.emplace_back(key, text); },
            help)
        ->type_name("TEXT");
  };
  command.add_option("--out", arguments.out, "The sweep's folder")->required();
  command.add_option("--datasets", arguments.datasets, "Names of 'pair list datasets', separated by commas")
      ->delimiter(',');
  command
      .add_option("--algorithms", arguments.algorithms,
                  "Names of 'pair list algorithms', separated by commas")
      ->delimiter(',');
  command.add_option("--n-hparams", arguments.n_hparams,
                     "Draws of the hyperparameters, the first of them the defaults (default 20)");
  command.add_option("--n-trials", arguments.n_trials, "Seeds of data and model, from 0 on (default 3)");
  command.add_option("--test-envs", arguments.test_envs,
                     "Test environments, a word a set: 0 1 0,1 (default: each alone and every two)");
  command.add_flag("--single-test-envs", arguments.single_test_envs,
                   "Each test environment alone: a third of the runs, but none for leave-one-out");
  command.add_option("--search", arguments.search,
                     "Whose learning rates are drawn where they differ: domainbed (default) or paper");
  setting("--steps", "steps", "Updates of every run (default: the dataset's)");
  setting("--device", "device", "cpu, cuda or cuda:N (default cpu)");
  command.add_option("--set", arguments.set,
                     "A setting of every run that has it, key=value; 'pair list settings' has them");
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
        "a sweep is defined by --datasets and --algorithms at least; without any such option "
        "the one in --out is meant");
  }
  sweep::Definition definition;
  definition.datasets = arguments.datasets;
  definition.algorithms = arguments.algorithms;
  definition.n_hparams = arguments.n_hparams.value_or(definition.n_hparams);
  definition.n_trials = arguments.n_trials.value_or(definition.n_trials);
  for (const std::string& text : arguments.test_envs) {
    definition.test_envs.push_back(sweep::test_envs_of(text));
  }
  definition.single_test_envs = arguments.single_test_envs;
  if (!arguments.search.empty()) {
    definition.search = sweep::search_named(arguments.search);
  }
  definition.set = arguments.shorthands;
  for (const std::string& text : arguments.set) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError("--set has '" + text + "'; accepted are key=value pairs, such as steps=100");
    }
    definition.set.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return definition;
}

std::vector<sweep::Job> jobs_of(const SweepArguments& arguments) {
  const std::vector<sweep::Definition> known = sweep::read_sweep(arguments.out);
  if (known.empty()) {
    throw UsageError("'" + arguments.out +
                     "' holds no sweep; accepted is a folder that 'pair sweep launch' made");
  }
  if (const std::optional<sweep::Definition> definition = definition_of(arguments)) {
    return sweep::jobs_of(std::span(&*definition, 1));
  }
  return sweep::jobs_of(known);
}

}  // namespace pair::cli

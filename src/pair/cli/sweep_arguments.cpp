#include "pair/cli/sweep_arguments.h"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "pair/algorithms/registry.h"
#include "pair/base/names.h"
#include "pair/base/registry.h"
#include "pair/base/tables.h"
#include "pair/cli/parse_errors.h"
#include "pair/cli/set_option.h"
#include "pair/cli/train_data.h"
#include "pair/sweep/filter.h"
#include "pair/sweep/sweep_file.h"

namespace pair::cli {

namespace {

base::Assignments settings_of(const SweepArguments& arguments) {
  base::Assignments settings = arguments.shorthands;
  append_set_option(arguments.set, settings);
  return settings;
}

// The settings' options of a dataset.
data::Dataset dataset_with(const std::string& name, const base::Assignments& settings) {
  data::Dataset dataset = data::dataset_named(name);
  base::Assignments own = settings;
  std::erase_if(own, [&dataset](const base::Assignment& setting) {
    return dataset.options.find(setting.first) == nullptr;
  });
  dataset.options = base::with_changes(dataset.options, own);
  return dataset;
}

bool asks_for_each(const SweepArguments& arguments) {
  return arguments.test_envs == std::vector<std::string>{"each"};
}

// Names are those of one dataset's environments; several datasets, or one that has fixed test environments,
// have numbers only.
std::vector<sweep::TestEnvs> test_envs_of(const SweepArguments& arguments,
                                          const std::vector<data::Dataset>& datasets) {
  std::vector<sweep::TestEnvs> sets;
  if (asks_for_each(arguments)) {
    return sets;
  }
  const bool named = datasets.size() == 1 && datasets.front().options.find("test_envs") != nullptr;
  for (const std::string& text : arguments.test_envs) {
    sets.push_back(named ? environments_named(text, datasets.front()) : sweep::test_envs_of(text));
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
    command.add_option(
        "--data", arguments.data,
        "Your own data in place of --datasets: a CSV file, a folder ENVIRONMENT/CLASS/IMAGE, or a "
        "CSV file of images; see 'pair train --help'");
    add_data_settings(setting);
    setting("--model", "model", "See 'pair list models' (default: the dataset's)");
    setting("--weights", "weights",
            "Pretrained weights to start with: safetensors, or PyTorch's .pt or .pth (docs/models.md)");
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
                     define
                         ? "Sets of test environments, by number or name: 0 1 0,1 (default: each alone and "
                           "every pair; 'each': each alone)"
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
  const bool any = !arguments.data.empty() || !arguments.datasets.empty() || !arguments.algorithms.empty() ||
                   arguments.n_hparams || arguments.n_trials || !arguments.test_envs.empty() ||
                   arguments.single_test_envs || !arguments.search.empty() || !arguments.shorthands.empty() ||
                   !arguments.set.empty();
  if (!any) {
    return std::nullopt;
  }
  if ((arguments.datasets.empty() && arguments.data.empty()) || arguments.algorithms.empty()) {
    if (!sweep::read_sweep(arguments.out).empty()) {
      throw UsageError(
          "'" + base::printable(arguments.out) +
          "' holds a sweep, which keeps its settings; give only --out to continue it, all of its "
          "options to extend it, or another folder for other settings");
    }
    throw UsageError(
        "a new sweep needs --algorithms, and --datasets or --data; without such options, "
        "the sweep in --out is used");
  }
  if (!arguments.data.empty() && arguments.datasets.size() > 1) {
    throw UsageError("--data: expected at most one dataset in addition, got --datasets " +
                     base::joined(arguments.datasets, ","));
  }
  sweep::Definition definition;
  definition.datasets = arguments.datasets;
  definition.set = settings_of(arguments);
  if (!arguments.data.empty()) {
    const std::string dataset = arguments.datasets.empty() ? "" : arguments.datasets.front();
    definition.datasets = {add_named_data(arguments.data, dataset, definition.set)};
  }
  complete_paths(definition.set);
  if (definition.datasets.size() == 1) {
    refuse_columns(definition.datasets.front(), definition.set);
  }
  for (const std::string& name : arguments.algorithms) {
    definition.algorithms.emplace_back(algorithms::algorithm_named(name).name);
  }
  definition.n_hparams = arguments.n_hparams.value_or(definition.n_hparams);
  definition.n_trials = arguments.n_trials.value_or(definition.n_trials);
  std::vector<data::Dataset> datasets;
  for (const std::string& name : definition.datasets) {
    datasets.push_back(dataset_with(name, definition.set));
  }
  definition.test_envs = test_envs_of(arguments, datasets);
  definition.single_test_envs = arguments.single_test_envs || asks_for_each(arguments);
  if (!arguments.search.empty()) {
    definition.search = sweep::search_named(arguments.search);
  }
  return definition;
}

std::vector<sweep::Job> jobs_of(const SweepArguments& arguments) {
  return sweep::jobs_of(known_sweep(arguments));
}

std::vector<sweep::Job> filtered_jobs_of(const SweepArguments& arguments) {
  const std::vector<sweep::Definition> known = known_sweep(arguments);
  std::vector<data::Dataset> datasets;
  for (const sweep::Definition& definition : known) {
    for (const std::string& name : definition.datasets) {
      const data::Dataset dataset = dataset_with(name, definition.set);
      const bool wanted = arguments.datasets.empty() ||
                          std::ranges::find(arguments.datasets, name) != arguments.datasets.end();
      if (wanted && std::ranges::find(datasets, dataset) == datasets.end()) {
        datasets.push_back(dataset);
      }
    }
  }
  sweep::Filter filter;
  filter.datasets = arguments.datasets;
  filter.algorithms = arguments.algorithms;
  filter.n_hparams = arguments.n_hparams;
  filter.n_trials = arguments.n_trials;
  filter.test_envs = test_envs_of(arguments, datasets);
  filter.single_test_envs = arguments.single_test_envs || asks_for_each(arguments);
  if (!arguments.search.empty()) {
    filter.search = sweep::search_named(arguments.search);
  }
  filter.set = settings_of(arguments);
  make_paths_absolute(filter.set);
  return sweep::filtered(known, filter);
}

}  // namespace pair::cli

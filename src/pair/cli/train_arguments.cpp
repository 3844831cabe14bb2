#include "pair/cli/train_arguments.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "pair/base/options.h"
#include "pair/cli/parse_errors.h"
#include "pair/cli/train_data.h"

namespace pair::cli {
namespace {

constexpr auto footer =
    R"(The same settings give the same records, bit for bit, on the same machine. Ctrl-C finishes the step,
saves and exits with status 130 (SIGTERM: 143); the same command then continues from there, and after
a crash from the last checkpoint. A finished run is not repeated.

The run's folder has results.jsonl (one JSON object per record), spec.json (all settings), checkpoint and,
when the run has finished, model.safetensors and model.json (the trained model: 'pair predict', 'pair score'),
for tables, images and texts evaluation.json (what it gets wrong: 'pair report'), and done. With --keep-checkpoints all, every record has its model: 'pair select --export' can then give the
model that was selected, also from the middle of a run.

Example:
  pair train --dataset cmnist --algorithm pair --seed 0
  pair train --dataset cmnist --objectives erm,irmv1,vrex,fishr --preference auto
  pair train --dataset cmnist-m --algorithm irmv1 --set penalty=1e4 pretrain=150 --out runs/irm
  pair train --dataset ColoredMNIST --algorithm dann --test-envs 2 --set digits=3000 --steps 300
  pair train --data patients.csv --label outcome --environment hospital --test-envs "St. Mary"
  pair train --data comments.csv --text comment --label toxic --environment source --vocab vocab.txt
  pair train --dataset civilcomments --data-root wilds --vocab vocab.txt --weights model.safetensors
  pair train --data photos/ --model resnet18 --weights resnet18.pth --set image_size=224
  pair train --data patients.csv --label outcome --environment hospital,year --ignore id,date --test-envs each)";

// For the value of '--half=VALUE'. CLI11 would take any integer: above 0 as true, otherwise as false.
std::string true_or_false(const std::string& text) {
  return base::parse_flag(text) ? "" : "expected true or false, got '" + text + "'";
}

// How the help shows an option: the heading, and the name of its value.
struct ShownOption {
  const char* name;
  const char* group;
  const char* value;
};

constexpr std::array<ShownOption, 41> shown_options{{{"--spec", "Options", "FILE"},
                                                     {"--data", "Options", "PATH"},
                                                     {"--dataset", "Options", "NAME"},
                                                     {"--algorithm", "Options", "NAME"},
                                                     {"--seed", "Options", "N"},
                                                     {"--test-envs", "Options", "LIST"},
                                                     {"--steps", "Options", "N"},
                                                     {"--set", "Options", setting_type},
                                                     {"--out", "Options", "DIR"},
                                                     {"--data-root", "Data", "DIR"},
                                                     {"--decode", "Data", "NAME"},
                                                     {"--label", "Data", "COLUMN"},
                                                     {"--environment", "Data", "COLUMNS"},
                                                     {"--text", "Data", "COLUMN"},
                                                     {"--vocab", "Data", "FILE"},
                                                     {"--ignore", "Data", "COLUMNS"},
                                                     {"--workers", "Data", "N"},
                                                     {"--model", "Method", "NAME"},
                                                     {"--weights", "Method", "FILE"},
                                                     {"--objectives", "Method", "LIST"},
                                                     {"--name", "Method", "TITLE"},
                                                     {"--solver", "Method", "NAME"},
                                                     {"--preference", "Method", "LIST"},
                                                     {"--gradients", "Method", "NAME"},
                                                     {"--no-restart", "Method", ""},
                                                     {"--freeze-featurizer", "Method", ""},
                                                     {"--penalty", "Method", "X"},
                                                     {"--threads", "Training", "N"},
                                                     {"--device", "Training", "NAME"},
                                                     {"--precision", "Training", "NAME"},
                                                     {"--tf32", "Training", ""},
                                                     {"--half", "Training", ""},
                                                     {"--ranks", "Training", "N"},
                                                     {"--lr", "Training", "X"},
                                                     {"--batch", "Training", "N"},
                                                     {"--pretrain", "Training", "N"},
                                                     {"--tensorboard", "Output", ""},
                                                     {"--no-model", "Output", ""},
                                                     {"--keep-checkpoints", "Output", "NAME"},
                                                     {"--json", "Output", ""},
                                                     {"--quiet", "Output", ""}}};

void arrange_help(CLI::App& command) {
  for (const ShownOption& shown : shown_options) {
    CLI::Option* const option = command.get_option(shown.name);
    option->group(shown.group);
    if (*shown.value != '\0') {
      option->type_name(shown.value);
    }
  }
}

}  // namespace

void add_train_options(CLI::App& command, TrainArguments& arguments) {
  // Every setting is parsed by its declaration, which knows its range.
  const auto setting = [&](const std::string& option, const std::string& key, const std::string& help) {
    command
        .add_option_function<std::string>(
            option,
            [&arguments, key](const std::string& text) { arguments.overrides.emplace_back(key, text); }, help)
        ->type_name("TEXT");
  };
  const auto flag = [&](const std::string& option, const std::string& key, const std::string& value,
                        const std::string& help) {
    command
        .add_flag_callback(
            option, [&arguments, key, value] { arguments.overrides.emplace_back(key, value); }, help)
        ->check(true_or_false);
  };
  command.add_option(
      "--spec", arguments.spec,
      "Read all settings from a file, such as a run's spec.json, in place of the options below");
  command.add_option(
      "--data", arguments.data,
      "Your own data: a CSV file (docs/tables.md, docs/text.md), a folder ENVIRONMENT/CLASS/IMAGE, or a CSV "
      "file that lists images (docs/images.md)");
  add_data_settings(setting);
  setting("--decode", "decode", "Images: exact, or fast (default): training decodes only what it needs");
  command.add_option("--dataset", arguments.dataset, "See 'pair list datasets'")->capture_default_str();
  command.add_option("--algorithm", arguments.algorithm, "See 'pair list algorithms'")->capture_default_str();
  setting("--model", "model", "See 'pair list models' (default: the dataset's)");
  setting("--weights", "weights",
          "Pretrained weights to start with: safetensors, or PyTorch's .pt or .pth (docs/models.md)");
  setting("--seed", "seed", "Seed of the data, the model and all random draws (default 0)");
  setting("--objectives", "objectives", "Names separated by commas, erm first; see 'pair list objectives'");
  setting("--name", "name", "Name of the run's method in tables and reports (default: the algorithm's name)");
  setting("--solver", "solver", "Solver that weighs the objectives of PAIR-o; see 'pair list solvers'");
  setting(
      "--preference", "preference",
      "One number per objective, separated by commas, auto, or choice:N of the paper's code (docs/wilds.md)");
  setting("--gradients", "gradients",
          "Parameters whose gradients the solver uses: w (the head), phi (the featurizer) or f (both)");
  flag("--no-restart", "restart", "false", "Keep the momentum even if the new direction opposes it");
  flag("--freeze-featurizer", "freeze_featurizer", "true", "Train only the head in the balance phase");
  setting("--test-envs", "test_envs",
          "Test environments, separated by commas: names or numbers from 0; 'each': one run per environment "
          "(default: the last one of CSV files, ColoredMNIST and RotatedMNIST; the first one of image "
          "datasets)");
  setting("--steps", "steps", "Total number of updates (default: the dataset's, 501 on cmnist)");
  setting("--threads", "threads", "Threads per operation; rounding depends on it (default 1)");
  setting("--device", "device", "cpu, cuda or cuda:N (default cpu)");
  setting("--precision", "precision",
          "Arithmetic of the steps: fp32 (default), tf32 (on CUDA devices) or bf16 (mixed precision)");
  flag("--tf32", "tf32", "true", "The same as --precision tf32");
  flag("--half", "half", "true", "Steps of mnist_cnn in fp16, by its own kernels on CUDA devices");
  command.add_option("--set", arguments.set,
                     "Any setting as key=value, which wins over its own option; see 'pair list settings'");
  command.add_option(
      "--out", arguments.out,
      "The run's folder (default runs/DATASET-ALGORITHM-sSEED-HASH, with a hash of the settings)");
  command.add_flag("--tensorboard", arguments.tensorboard,
                   "Also write the records for TensorBoard, as events.out.tfevents.* in the run's folder");
  command.add_flag(
      "--no-model,--no-models", arguments.no_model,
      "Do not keep the trained model (model.safetensors, model.json, evaluation.json) in the run's folder");
  setting("--lr", "lr", "Learning rate; with PAIR-o, that of the pretraining");
  setting("--batch", "batch", "Samples per environment and step; 0: all");
  setting("--pretrain", "pretrain", "Steps at the beginning: of ERM alone, or with a small penalty");
  setting("--penalty", "penalty", "Weight of the objectives after erm; not with PAIR-o");
  setting("--workers", "workers", "Images and texts: threads that read them");
  setting(
      "--keep-checkpoints", "keep_checkpoints",
      "Models to keep: last, best (also that of the record with the best validation accuracy, after the "
      "pretraining of PAIR-o) or all (that of every record), as models/step-N in the run's folder (default "
      "last)");
  command.add_option("--ranks", arguments.ranks,
                     "Processes on this machine that train the run together, each with its share of every "
                     "batch; torchrun and srun start their own (docs/cluster.md)");
  command.add_flag("--json", arguments.json, "Write a summary as JSON at the end");
  command.add_flag("--quiet", arguments.quiet,
                   "No progress, no notes and no table; warnings and errors are still printed");
  arrange_help(command);
  command.footer(footer);
}

void check_train_options(const CLI::App& command, TrainArguments& arguments) {
  arguments.dataset_given = command.count("--dataset") > 0;
  constexpr std::int64_t most_ranks = 1024;
  if (command.count("--ranks") > 0 && (arguments.ranks < 1 || arguments.ranks > most_ranks)) {
    throw UsageError("--ranks: expected an integer from 1 to " + std::to_string(most_ranks) + ", got '" +
                     std::to_string(arguments.ranks) + "'");
  }
  // Not by CLI11's excludes, which would list every option in the help of every other.
  if (!arguments.spec.empty()) {
    constexpr std::array<std::string_view, 7> allowed{"--spec",        "--out",      "--json", "--quiet",
                                                      "--tensorboard", "--no-model", "--ranks"};
    for (const CLI::Option* option : command.get_options()) {
      const std::string name = option->get_name();
      if (option->count() > 0 && std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
        throw UsageError("--spec has all settings; expected no " + name + " in addition");
      }
    }
  }
}

}  // namespace pair::cli

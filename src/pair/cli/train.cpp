#include "pair/cli/train.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iomanip>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/statistics.h"
#include "pair/base/tables.h"
#include "pair/cli/parse_errors.h"
#include "pair/cli/set_option.h"
#include "pair/cli/train_data.h"
#include "pair/cli/train_interrupt.h"
#include "pair/cli/train_progress.h"
#include "pair/cli/train_ranks.h"
#include "pair/runs/file.h"
#include "pair/runs/record_keys.h"
#include "pair/runs/records.h"
#include "pair/runs/run.h"
#include "pair/runs/run_directory.h"
#include "pair/runs/settings.h"
#include "pair/runs/tensorboard.h"
#include "pair/runs/warnings.h"

namespace pair::cli {
namespace {

using runs::Override;
using runs::RunResult;
using runs::RunSpec;

struct TrainArguments {
  std::string spec;  // a file
  std::string data;  // a file or folder of the user's
  std::string dataset;
  bool dataset_given = false;
  std::string algorithm;
  std::vector<Override> overrides;
  std::vector<std::string> set;
  std::string out;
  bool tensorboard = false;
  bool no_model = false;
  bool json = false;
  bool quiet = false;
  std::int64_t ranks = 0;  // to start; 0: not given
};

// A setting that the algorithm would ignore is more likely a mistake.
void refuse_ignored(const RunSpec& spec, const std::vector<Override>& overrides) {
  const train::Scheme scheme = spec.settings.scheme;
  for (const Override& override : overrides) {
    if (runs::find_setting(spec, override.first) != nullptr && !runs::is_read(spec, override.first)) {
      throw UsageError(override.first + " does not apply to algorithm '" + spec.algorithm + "', which " +
                       (scheme == train::Scheme::linear ? "weighs objectives by fixed penalties"
                        : scheme == train::Scheme::pair ? "weighs the objectives with a solver"
                                                        : "has its own update"));
    }
  }
}

RunSpec spec_in_file(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    throw UsageError("--spec: expected a spec.json, got '" + file + "', which is not a file");
  }
  try {
    return runs::spec_from_text(runs::read_file(file));
  } catch (const std::invalid_argument& invalid) {
    throw UsageError(file + " cannot be used: " + invalid.what());
  }
}

// One, or one per environment that is left out in turn.
std::vector<RunSpec> specs_of(const TrainArguments& arguments) {
  if (!arguments.spec.empty()) {
    return {spec_in_file(arguments.spec)};
  }
  std::vector<Override> overrides = arguments.overrides;
  append_set_option(arguments.set, overrides);
  std::string dataset = arguments.dataset;
  if (!arguments.data.empty()) {
    dataset = add_named_data(arguments.data, arguments.dataset_given ? dataset : "", overrides);
  }
  refuse_columns(dataset, overrides);
  add_weights_digest(overrides);
  add_vocabulary_digest(overrides);
  // Names of environments are known once the data is.
  std::optional<std::string> test_envs;
  std::erase_if(overrides, [&test_envs](const Override& override) {
    const bool is = override.first == "test_envs";
    test_envs = is ? override.second : test_envs;
    return is;
  });
  const RunSpec spec = runs::resolve(dataset, arguments.algorithm, overrides);
  refuse_ignored(spec, overrides);
  runs::check_own_objectives(spec);
  return with_test_environments(spec, test_envs ? &*test_envs : nullptr);
}

ProgressDisplay display_for(const TrainArguments& arguments, std::ostream& err) {
  using Style = ProgressDisplay::Style;
  struct winsize size {};
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const bool known = terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return {err,
          arguments.quiet ? Style::none
          : terminal      ? Style::bar
                          : Style::lines,
          known ? size.ws_col : 80U};
}

std::string score_text(const nlohmann::json& record, const std::string& key) {
  const auto found = record.find(key);
  if (found == record.end() || !found->is_number()) {
    return "-";
  }
  std::ostringstream text;
  if (key.ends_with("_mse")) {
    text << std::setprecision(4) << found->get<double>();
  } else {
    text << std::fixed << std::setprecision(2) << 100.0 * found->get<double>() << "%";
  }
  return text.str();
}

void write_row(std::ostream& out, const std::string& number, std::string_view kind, const std::string& name,
               const std::string& score) {
  out << "  " << std::left << std::setw(3) << number << std::setw(16) << kind << std::setw(14) << name
      << std::right << std::setw(8) << score << '\n';
}

// The part of the test environments, "_in" or "_out", that the record's worst test score was taken over; the
// other part, if they have one, is for selection.
std::string part_that_counts(const nlohmann::json& record, const std::vector<std::int64_t>& tests,
                             const std::string& score) {
  const auto worst = record.find("worst_test" + score);
  for (std::string part : {"_in", "_out"}) {
    std::optional<double> of_part;
    for (const std::int64_t environment : tests) {
      const auto found = record.find("env" + std::to_string(environment) + part + score);
      if (found != record.end() && found->is_number()) {
        const auto value = found->get<double>();
        of_part = !of_part ? value : score == "_mse" ? std::max(*of_part, value) : std::min(*of_part, value);
      }
    }
    if (of_part && worst != record.end() && worst->is_number() && *of_part == worst->get<double>()) {
      return part;
    }
  }
  return "_in";
}

void write_table(const RunSpec& spec, const RunResult& result, std::ostream& out) {
  if (result.records.empty()) {
    return;
  }
  const nlohmann::json& last = result.records.back();
  const std::string score = last.contains("worst_test_mse") ? "_mse" : "_acc";
  const std::vector<std::string> names = data::environment_names(spec.dataset);
  const std::vector<std::int64_t> tests = data::test_environments(spec.dataset);
  const std::string counted = part_that_counts(last, tests, score);
  bool divided = false;  // whether a test environment has a part that does not count
  out << (score == "_mse" ? "Mean squared error" : "Accuracy") << " after step " << last.at("step") << ":\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string number = std::to_string(i);
    const bool test = std::find(tests.begin(), tests.end(), static_cast<std::int64_t>(i)) != tests.end();
    const std::string in = "env" + number + "_in" + score;
    const std::string held_out = "env" + number + "_out" + score;
    const bool both = last.contains(in) && last.contains(held_out);
    for (const std::string& key : {in, held_out}) {
      if (last.contains(key)) {
        const bool counts = test && (!both || key == "env" + number + counted + score);
        divided = divided || (test && !counts);
        const std::string_view without_score = std::string_view(key).substr(0, key.size() - score.size());
        write_row(out, number, runs::part_of(without_score, test, counts), names[i], score_text(last, key));
      }
    }
    // A split of WILDS has its own key.
    if (last.contains(names[i] + score)) {
      write_row(out, number, test ? "test" : "validation", names[i], score_text(last, names[i] + score));
    }
  }
  write_row(out, "", "worst test", divided ? "of rows 'test'" : "", score_text(last, "worst_test" + score));
}

nlohmann::ordered_json json_of(const RunSpec& spec, const RunResult& result,
                               const std::filesystem::path& directory, std::int64_t ranks,
                               std::int64_t bytes_sent) {
  const bool finished = result.status == RunResult::Status::finished;
  nlohmann::ordered_json json = {
      {"status", finished ? "finished" : "stopped"},
      {"directory", directory.string()},
      {"hash", runs::hash(spec)},
      {"step", result.step},
      {"steps", spec.settings.steps},
      {"seconds", result.seconds},
      {"was_done", result.was_done},
      {"record", result.records.empty() ? nlohmann::json() : result.records.back()}};
  if (ranks > 1) {
    json["ranks"] = ranks;
    json["bytes_sent"] = bytes_sent;
  }
  return json;
}

// One run of several, which leave out one environment each.
struct LeftOut {
  RunSpec spec;
  RunResult result;
  std::filesystem::path directory;
  std::int64_t bytes_sent = 0;  // by this rank, to others
};

// Scores on environments that were not trained on, and on held-out samples of those that were.
void write_left_out(const std::vector<LeftOut>& runs, std::ostream& out) {
  const std::vector<std::string> names = data::environment_names(runs.front().spec.dataset);
  base::Rows rows{{"environment", "others, held out", "left out"}};
  std::vector<double> tests;
  bool accuracy = true;
  for (const LeftOut& run : runs) {
    if (run.result.records.empty()) {
      continue;
    }
    const nlohmann::json& last = run.result.records.back();
    accuracy = !last.contains("worst_test_mse");
    const std::string score = accuracy ? "_acc" : "_mse";
    const std::int64_t test = data::test_environments(run.spec.dataset).front();
    std::vector<double> others;
    for (std::size_t e = 0; e < names.size(); ++e) {
      const auto found = last.find("env" + std::to_string(e) + "_out" + score);
      if (static_cast<std::int64_t>(e) != test && found != last.end() && found->is_number()) {
        others.push_back(found->get<double>());
      }
    }
    const std::string test_key = "env" + std::to_string(test) + "_in" + score;
    if (last.contains(test_key) && last.at(test_key).is_number()) {
      tests.push_back(last.at(test_key).get<double>());
    }
    const nlohmann::json mean{
        {score, others.empty() ? nlohmann::json() : nlohmann::json(base::mean_and_deviation(others).mean)}};
    rows.push_back({base::printable(names[static_cast<std::size_t>(test)]), score_text(mean, score),
                    score_text(last, test_key)});
  }
  out << (accuracy ? "Accuracy" : "Mean squared error") << " with each environment left out in turn:\n";
  if (!tests.empty()) {
    const std::string score = accuracy ? "_acc" : "_mse";
    const auto worst = accuracy ? std::min_element(tests.begin(), tests.end())
                                : std::max_element(tests.begin(), tests.end());
    rows.push_back({"mean", "", score_text({{score, base::mean_and_deviation(tests).mean}}, score)});
    rows.push_back({"worst", "", score_text({{score, *worst}}, score)});
  }
  out << base::aligned(rows, {.indent = "  ", .left = 1});
}

// Keeps a run's event files in line with its records, including those of earlier tries without --tensorboard.
class TensorBoardFiles {
 public:
  TensorBoardFiles(std::filesystem::path directory, bool wanted)
      : directory_(std::move(directory)), wanted_(wanted) {
    if (wanted && !runs::has_tensorboard()) {
      throw std::runtime_error("--tensorboard: pair was built without protobuf (Debian: libprotobuf-dev)");
    }
  }

  void follow(const runs::Progress& progress) {
    if (wanted_ && progress.step == progress.first) {
      catch_up(progress.first);
    }
    if (wanted_ && progress.record != nullptr) {
      events_->record(*progress.record);
    }
  }

  // All records up to the step.
  void catch_up(std::int64_t step) {
    if (!wanted_) {
      return;
    }
    events_.emplace(directory_);
    for (const nlohmann::json& record : runs::read_records(runs::results_file(directory_))) {
      // Records that a killed try wrote after its checkpoint are repeated.
      if (record.at("step").get<std::int64_t>() <= step) {
        events_->record(record);
      }
    }
  }

 private:
  std::filesystem::path directory_;
  bool wanted_;
  std::optional<runs::EventFile> events_;
};

// One run, to its end or until it is stopped.
RunResult train_one(const RunSpec& spec, const std::filesystem::path& directory,
                    const TrainArguments& arguments, const train::Ranks& ranks, const Interrupt& interrupt,
                    runs::DatasetCache& datasets, Context& context) {
  const std::vector<std::string> warnings =
      ranks.rank() == 0 ? runs::warnings_of(std::span(&spec, 1)) : std::vector<std::string>();
  for (const std::string& warning : warnings) {
    context.err << "pair: warning: " << warning << std::endl;
  }
  TensorBoardFiles tensorboard(directory, arguments.tensorboard);
  ProgressDisplay display = display_for(arguments, context.err);
  const auto began = std::chrono::steady_clock::now();
  runs::RunHooks hooks;
  hooks.keep_model = !arguments.no_model;
  hooks.ranks = ranks;
  hooks.should_stop = [&] { return interrupt.signal() != 0; };
  hooks.notice = [&](std::string_view sentence) { display.say("pair: " + std::string(sentence)); };
  hooks.progress = [&](const runs::Progress& progress) {
    tensorboard.follow(progress);
    if (progress.step == progress.first && progress.first > 0) {
      display.say("Resumed at step " + std::to_string(progress.first) + " of " +
                  std::to_string(progress.steps));
    }
    display.show(progress, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  };

  RunResult result;
  try {
    result = runs::run(spec, directory, datasets, hooks);
    if (result.was_done) {
      tensorboard.catch_up(result.step);
    }
  } catch (...) {
    display.end();
    throw;
  }
  display.end();

  if (!arguments.json && !arguments.quiet) {
    write_table(spec, result, context.out);
    context.out << (result.was_done ? "Already finished; records in " : "Records in ")
                << runs::results_file(directory).string() << '\n';
  }
  if (result.status == RunResult::Status::stopped) {
    // Another rank may have received the signal.
    context.status = 128 + (interrupt.signal() != 0 ? interrupt.signal() : SIGTERM);
  }
  if (result.status == RunResult::Status::stopped && ranks.rank() == 0) {
    display.say("Stopped at step " + std::to_string(result.step) + " of " +
                std::to_string(spec.settings.steps) + "; the same command continues from there");
  }
  return result;
}

void train_specs(const std::vector<RunSpec>& specs, const TrainArguments& arguments,
                 const train::Ranks& ranks, const Interrupt& interrupt, Context& context) {
  if (arguments.no_model && specs.front().keep_checkpoints != runs::KeepCheckpoints::last) {
    throw UsageError("--no-model: expected keep_checkpoints to be last, got '" +
                     runs::text_of(specs.front(), "keep_checkpoints") + "', which keeps models");
  }
  const bool several = specs.size() > 1;
  runs::DatasetCache datasets;
  std::vector<LeftOut> done;
  for (const RunSpec& spec : specs) {
    const std::filesystem::path directory =
        arguments.out.empty() ? runs::default_directory(spec)
        : several             ? std::filesystem::path(arguments.out) / runs::folder_name(spec)
                              : std::filesystem::path(arguments.out);
    // Before a folder is made: errors in a user's data are found here.
    if (data::entry_of(spec.dataset.name).described && !runs::RunDirectory::finished(directory, spec)) {
      const std::string description = runs::description_of_data(spec, datasets);
      if (!arguments.json && !arguments.quiet) {
        context.out << description << std::flush;
      }
    }
    const std::int64_t sent = ranks.bytes_sent();
    RunResult result = train_one(spec, directory, arguments, ranks, interrupt, datasets, context);
    done.push_back({spec, std::move(result), directory, ranks.bytes_sent() - sent});
    if (done.back().result.status == RunResult::Status::stopped) {
      break;
    }
  }

  if (arguments.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const LeftOut& run : done) {
      all.push_back(json_of(run.spec, run.result, run.directory, ranks.size(), run.bytes_sent));
    }
    context.out << (several ? all : all.front()).dump(2) << '\n';
  } else if (several && !arguments.quiet && done.size() == specs.size()) {
    write_left_out(done, context.out);
  }
}

void train(const TrainArguments& arguments, Context& context) {
  // Exceeding a file size limit must be a failed write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  const std::vector<RunSpec> specs = specs_of(arguments);  // before ranks are started
  const Interrupt interrupt;
  TrainRanks ranks(arguments.ranks, context.arguments);
  const std::int64_t rank = ranks.ranks().rank();
  TrainArguments own = arguments;
  if (rank > 0) {  // rank 0 reports
    own.quiet = true;
    own.json = false;
    own.tensorboard = false;
  }
  const std::string name = rank > 0 ? "rank " + std::to_string(rank) + ": " : "";
  try {
    train_specs(specs, own, ranks.ranks(), interrupt, context);
  } catch (const train::RankLost& lost) {
    std::string message = name + lost.what();
    for (const std::string& sentence : ranks.end()) {
      message += "; " + sentence;
    }
    throw std::runtime_error(message);
  } catch (const std::invalid_argument&) {
    if (rank == 0) {
      throw;
    }
    context.status = exit_bad_input;  // all ranks find it, and rank 0 reports it
  } catch (const std::runtime_error& error) {
    if (rank == 0) {
      throw;
    }
    throw std::runtime_error(name + error.what());
  }
  for (const std::string& sentence : ranks.end()) {
    context.err << "pair: " << sentence << std::endl;
  }
}

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

void add_train(CLI::App& app, Context& context) {
  const auto arguments = std::make_shared<TrainArguments>();
  arguments->dataset = "cmnist";
  arguments->algorithm = "pair";
  CLI::App* command = app.add_subcommand("train", "Train a model and record its losses and accuracies");
  // Every setting is parsed by its declaration, which knows its range.
  const auto setting = [&](const std::string& option, const std::string& key, const std::string& help) {
    command
        ->add_option_function<std::string>(
            option,
            [arguments, key](const std::string& text) { arguments->overrides.emplace_back(key, text); }, help)
        ->type_name("TEXT");
  };
  const auto flag = [&](const std::string& option, const std::string& key, const std::string& value,
                        const std::string& help) {
    command->add_flag_callback(
        option, [arguments, key, value] { arguments->overrides.emplace_back(key, value); }, help);
  };
  command->add_option(
      "--spec", arguments->spec,
      "Read all settings from a file, such as a run's spec.json, in place of the options below");
  command->add_option(
      "--data", arguments->data,
      "Your own data: a CSV file (docs/tables.md, docs/text.md), a folder ENVIRONMENT/CLASS/IMAGE, or a CSV "
      "file path,label,environment of images (docs/images.md)");
  add_data_settings(setting);
  setting("--decode", "decode", "Images: exact, or fast (default): training decodes only what it needs");
  CLI::Option* const dataset =
      command->add_option("--dataset", arguments->dataset, "See 'pair list datasets'")->capture_default_str();
  command->add_option("--algorithm", arguments->algorithm, "See 'pair list algorithms'")
      ->capture_default_str();
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
          "Test environments, separated by commas: names or numbers from 0; 'each': one run per environment");
  setting("--steps", "steps", "Total number of updates (default: the dataset's, 501 on cmnist)");
  setting("--threads", "threads", "Threads per operation; rounding depends on it (default 1)");
  setting("--device", "device", "cpu, cuda or cuda:N (default cpu)");
  setting("--precision", "precision",
          "Arithmetic of the steps: fp32 (default), tf32 (on CUDA devices) or bf16 (mixed precision)");
  flag("--tf32", "tf32", "true", "The same as --precision tf32");
  flag("--half", "half", "true", "Steps of mnist_cnn in fp16, by its own kernels on CUDA devices");
  command->add_option("--set", arguments->set, "Any setting as key=value; see 'pair list settings'");
  command->add_option(
      "--out", arguments->out,
      "The run's folder (default runs/DATASET-ALGORITHM-sSEED-HASH, with a hash of the settings)");
  command->add_flag("--tensorboard", arguments->tensorboard,
                    "Also write the records for TensorBoard, as events.out.tfevents.* in the run's folder");
  command->add_flag(
      "--no-model,--no-models", arguments->no_model,
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
  CLI::Option* const ranks = command->add_option(
      "--ranks", arguments->ranks,
      "Processes on this machine that train the run together, each with its share of every "
      "batch; torchrun and srun start their own (docs/cluster.md)");
  command->add_flag("--json", arguments->json, "Write a summary as JSON at the end");
  command->add_flag("--quiet", arguments->quiet, "No progress and no table");
  arrange_help(*command);
  command->footer(footer);
  command->callback([arguments, command, dataset, ranks, &context] {
    arguments->dataset_given = dataset->count() > 0;
    constexpr std::int64_t most_ranks = 1024;
    if (ranks->count() > 0 && (arguments->ranks < 1 || arguments->ranks > most_ranks)) {
      throw UsageError("--ranks: expected an integer from 1 to " + std::to_string(most_ranks) + ", got '" +
                       std::to_string(arguments->ranks) + "'");
    }
    // Not by CLI11's excludes, which would list every option in the help of every other.
    if (!arguments->spec.empty()) {
      constexpr std::array<std::string_view, 7> allowed{"--spec",        "--out",      "--json", "--quiet",
                                                        "--tensorboard", "--no-model", "--ranks"};
      for (const CLI::Option* option : command->get_options()) {
        const std::string name = option->get_name();
        if (option->count() > 0 && std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
          throw UsageError("--spec has all settings; expected no " + name + " in addition");
        }
      }
    }
    train(*arguments, context);
  });
}

}  // namespace pair::cli

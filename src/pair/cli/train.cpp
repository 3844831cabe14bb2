#include "pair/cli/train.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iomanip>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/cli/set_option.h"
#include "pair/cli/train_interrupt.h"
#include "pair/cli/train_progress.h"
#include "pair/runs/file.h"
#include "pair/runs/records.h"
#include "pair/runs/run.h"
#include "pair/runs/run_directory.h"
#include "pair/runs/settings.h"
#include "pair/runs/tensorboard.h"

namespace pair::cli {
namespace {

using runs::Override;
using runs::RunResult;
using runs::RunSpec;

struct TrainArguments {
  std::string spec;  // a file
  std::string dataset;
  std::string algorithm;
  std::vector<Override> overrides;
  std::vector<std::string> set;
  std::string out;
  bool tensorboard = false;
  bool json = false;
  bool quiet = false;
};

// A setting that the algorithm would pass over is more likely a mistake than a wish.
void refuse_ignored(const RunSpec& spec, const std::vector<Override>& overrides) {
  const train::Scheme scheme = spec.settings.scheme;
  for (const Override& override : overrides) {
    const bool read = runs::is_read(spec, override.first) ||
                      (spec.settings.update.reads_penalty && override.first == "penalty");
    if (!read) {
      throw UsageError(override.first + " has no meaning for algorithm '" + spec.algorithm + "', which " +
                       (scheme == train::Scheme::linear ? "weighs objectives by fixed penalties"
                        : scheme == train::Scheme::pair ? "weighs them by a solver"
                                                        : "has an update of its own"));
    }
  }
}

RunSpec spec_in_file(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    throw UsageError("--spec is '" + file + "', which is no file; accepted is a spec.json");
  }
  try {
    return runs::spec_from_text(runs::read_file(file));
  } catch (const std::invalid_argument& invalid) {
    throw UsageError(file + " cannot be used: " + invalid.what());
  }
}

RunSpec spec_of(const TrainArguments& arguments) {
  if (!arguments.spec.empty()) {
    return spec_in_file(arguments.spec);
  }
  std::vector<Override> overrides = arguments.overrides;
  append_set_option(arguments.set, overrides);
  const RunSpec spec = runs::resolve(arguments.dataset, arguments.algorithm, overrides);
  refuse_ignored(spec, overrides);
  return spec;
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

void write_table(const RunSpec& spec, const RunResult& result, std::ostream& out) {
  if (result.records.empty()) {
    return;
  }
  const nlohmann::json& last = result.records.back();
  const std::string score = last.contains("worst_test_mse") ? "_mse" : "_acc";
  const std::vector<std::string> names = data::environment_names(spec.dataset);
  const std::vector<std::int64_t> tests = data::test_environments(spec.dataset);
  out << (score == "_mse" ? "Mean squared error" : "Accuracy") << " after step " << last.at("step") << ":\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string number = std::to_string(i);
    const bool test = std::find(tests.begin(), tests.end(), static_cast<std::int64_t>(i)) != tests.end();
    const std::string in = "env" + number + "_in" + score;
    const std::string held_out = "env" + number + "_out" + score;
    const bool both = last.contains(in) && last.contains(held_out);
    for (const std::string& key : {in, held_out}) {
      if (last.contains(key)) {
        const std::string kind =
            std::string(test ? "test" : "train") + (both && key == held_out ? ", held out" : "");
        write_row(out, number, kind, names[i], score_text(last, key));
      }
    }
  }
  write_row(out, "", "worst test", "", score_text(last, "worst_test" + score));
}

void write_json(const RunSpec& spec, const RunResult& result, const std::filesystem::path& directory,
                std::ostream& out) {
  const bool finished = result.status == RunResult::Status::finished;
  const nlohmann::ordered_json summary{
      {"status", finished ? "finished" : "stopped"},
      {"directory", directory.string()},
      {"hash", runs::hash(spec)},
      {"step", result.step},
      {"steps", spec.settings.steps},
      {"seconds", result.seconds},
      {"was_done", result.was_done},
      {"record", result.records.empty() ? nlohmann::json() : result.records.back()}};
  out << summary.dump(2) << '\n';
}

// Keeps a run's event files at what its records are, those of earlier tries without --tensorboard included.
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
      // What a killed try wrote after its checkpoint comes again.
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

void train(const TrainArguments& arguments, Context& context) {
  // A file size limit shows as a failed write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  const RunSpec spec = spec_of(arguments);
  const std::filesystem::path directory =
      arguments.out.empty() ? runs::default_directory(spec) : std::filesystem::path(arguments.out);

  TensorBoardFiles tensorboard(directory, arguments.tensorboard);
  ProgressDisplay display = display_for(arguments, context.err);
  const Interrupt interrupt;
  const auto began = std::chrono::steady_clock::now();
  runs::RunHooks hooks;
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

  runs::DatasetCache datasets;
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

  if (arguments.json) {
    write_json(spec, result, directory, context.out);
  } else if (!arguments.quiet) {
    write_table(spec, result, context.out);
    context.out << (result.was_done ? "Done before; records in " : "Records in ")
                << runs::results_file(directory).string() << '\n';
  }
  if (result.status == RunResult::Status::stopped) {
    display.say("Stopped at step " + std::to_string(result.step) + " of " +
                std::to_string(spec.settings.steps) + "; the same command goes on from there");
    context.status = 128 + interrupt.signal();
  }
}

constexpr auto footer =
    R"(The same settings give the same records, bit for bit, on the same machine. Ctrl-C finishes the step,
saves and exits with status 130 (SIGTERM: 143); the same command then goes on where it stopped, and after
a crash from the last checkpoint. A run that is done is not repeated.

In the run's folder: results.jsonl (a JSON object a record), spec.json (all settings), checkpoint and,
when the run is whole, done.

Example:
  pair train --dataset cmnist --algorithm pair --seed 0
  pair train --dataset cmnist --objectives erm,irmv1,vrex,fishr --preference auto
  pair train --dataset cmnist-m --algorithm irmv1 --set penalty=1e4 pretrain=150 --out runs/irm
  pair train --dataset ColoredMNIST --algorithm dann --test-envs 2 --set digits=3000 --steps 300)";

}  // namespace

void add_train(CLI::App& app, Context& context) {
  const auto arguments = std::make_shared<TrainArguments>();
  arguments->dataset = "cmnist";
  arguments->algorithm = "pair";
  CLI::App* command = app.add_subcommand("train", "Train a model and record how it does");
  // Every setting goes through its declaration, which knows its range.
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
  command->add_option("--spec", arguments->spec,
                      "All settings from a file, a run's spec.json, in place of the options below");
  command->add_option("--dataset", arguments->dataset, "See 'pair list datasets'")->capture_default_str();
  command->add_option("--algorithm", arguments->algorithm, "See 'pair list algorithms'")
      ->capture_default_str();
  setting("--seed", "seed", "Decides the data, the model and every draw (default 0)");
  setting("--objectives", "objectives", "Names separated by commas, erm first; see 'pair list objectives'");
  setting("--solver", "solver", "What weighs the objectives of PAIR-o; see 'pair list solvers'");
  setting("--preference", "preference", "One number per objective, separated by commas, or auto");
  setting("--gradients", "gradients", "Whose gradients the solver sees: w (the head's), phi or f");
  flag("--no-restart", "restart", "false", "Keep the momentum where the new direction opposes it");
  flag("--freeze-featurizer", "freeze_featurizer", "true", "Train the head alone once the solver weighs");
  setting("--test-envs", "test_envs", "ColoredMNIST, RotatedMNIST: environments to test on, by commas");
  setting("--steps", "steps", "Updates in all (default 501)");
  setting("--threads", "threads", "Threads an operation may use; rounding depends on it (default 1)");
  setting("--device", "device", "cpu, cuda or cuda:N (default cpu)");
  flag("--tf32", "tf32", "true", "Matrix products in TF32, on CUDA devices");
  flag("--half", "half", "true", "Steps of mnist_cnn in 16 bits, on CUDA devices");
  command->add_option("--set", arguments->set, "Any setting as key=value; 'pair list settings' has them");
  command->add_option(
      "--out", arguments->out,
      "The run's folder (default runs/DATASET-ALGORITHM-sSEED-HASH, by a hash of the settings)");
  command->add_flag("--tensorboard", arguments->tensorboard,
                    "Also write the records for TensorBoard, as events.out.tfevents.* in the run's folder");
  command->add_flag("--json", arguments->json, "Write a summary as JSON at the end");
  command->add_flag("--quiet", arguments->quiet, "No progress and no table");
  command->footer(footer);
  command->callback([arguments, command, &context] {
    // Not by CLI11's excludes, which would name every option in the help of every other.
    if (!arguments->spec.empty()) {
      for (const CLI::Option* option : command->get_options()) {
        const std::string name = option->get_name();
        if (option->count() > 0 && name != "--spec" && name != "--out" && name != "--json" &&
            name != "--quiet" && name != "--tensorboard") {
          throw UsageError("--spec has all settings; " + name + " cannot be given beside it");
        }
      }
    }
    try {
      train(*arguments, context);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  });
}

}  // namespace pair::cli

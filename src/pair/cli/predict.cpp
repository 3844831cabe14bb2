#include "pair/runs/predict.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pair/base/names.h"
#include "pair/base/options.h"
#include "pair/base/output_file.h"
#include "pair/base/tables.h"
#include "pair/cli/model_commands.h"
#include "pair/cli/model_options.h"
#include "pair/cli/output_options.h"
#include "pair/cli/reading_progress.h"
#include "pair/cli/train_interrupt.h"
#include "pair/data/column_lists.h"
#include "pair/data/image_folder.h"
#include "pair/runs/kept_models.h"
#include "pair/runs/wilds_predictions.h"
#include "pair/train/interrupted.h"

namespace pair::cli {
namespace {

struct PredictArguments {
  ModelOptions model;
  runs::PredictRequest request;
  std::string out;
  std::string format = "csv";
  std::string keep;  // columns of tables
  bool quiet = false;
  bool json = false;      // --json was given: with a file, the end is an object
  std::string splits;     // of WILDS, in place of inputs
  std::string data_root;  // of WILDS, in place of the run's
};

// The fewest digits that read back as the same number.
std::string shortest(float number) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

class CsvLines {
 public:
  CsvLines(const runs::ModelCard& card, std::vector<std::string> kept)
      : classes_(class_names(card)), kept_(std::move(kept)) {
    for (const std::string& column : kept_) {
      const bool is_own =
          column == "input" || column == (classes_.empty() ? "value" : "class") ||
          std::ranges::any_of(classes_, [&column](const std::string& name) { return column == "p_" + name; });
      if (is_own) {
        throw UsageError("--keep: expected columns with other names than those of the predictions, got '" +
                         base::printable(column) + "'; --format jsonl keeps it");
      }
    }
  }

  [[nodiscard]] std::string header() const {
    std::string line = "input";
    for (const std::string& column : kept_) {
      line += "," + base::csv_value(column);
    }
    line += classes_.empty() ? ",value" : ",class";
    for (const std::string& name : classes_) {
      line += "," + base::csv_value("p_" + name);
    }
    return line + "\n";
  }

  [[nodiscard]] std::string line(const runs::Prediction& prediction) const {
    std::string line = base::csv_value(prediction.input) + ",";
    for (const std::string& cell : prediction.kept) {
      line += base::csv_value(cell) + ",";
    }
    line += classes_.empty() ? shortest(prediction.value) : base::csv_value(classes_[prediction.answer]);
    for (const float share : prediction.probabilities) {
      line += "," + shortest(share);
    }
    return line + "\n";
  }

 private:
  std::vector<std::string> classes_;
  std::vector<std::string> kept_;
};

std::string json_line(const runs::Prediction& prediction, const std::vector<std::string>& classes,
                      const std::vector<std::string>& kept) {
  nlohmann::ordered_json object{{"input", prediction.input}};
  for (std::size_t i = 0; i < prediction.kept.size(); ++i) {
    object["kept"][kept[i]] = prediction.kept[i];
  }
  if (classes.empty()) {
    object["value"] = prediction.value;
  } else {
    object["class"] = classes[prediction.answer];
    nlohmann::ordered_json& shares = object["probabilities"];
    for (std::size_t i = 0; i < classes.size(); ++i) {
      shares[classes[i]] = prediction.probabilities[i];
    }
  }
  // Names of files may be any bytes.
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::vector<std::string> kept_columns(const PredictArguments& arguments) {
  if (arguments.keep.empty()) {
    return {};
  }
  const std::optional<base::Value> columns = data::parse_columns(arguments.keep);
  if (!columns || !std::holds_alternative<std::vector<std::string>>(*columns)) {
    throw UsageError(
        "--keep: expected names of columns separated by commas (in quotes if one has a comma), got '" +
        base::printable(arguments.keep) + "'");
  }
  const auto& names = std::get<std::vector<std::string>>(*columns);
  if (std::set<std::string>(names.begin(), names.end()).size() < names.size()) {
    throw UsageError("--keep: expected each column once, got '" + base::printable(arguments.keep) + "'");
  }
  return names;
}

// The object that 'pair predict -o FILE --json' prints.
std::string summary_of_file(const runs::PredictResult& result, const std::string& file) {
  const nlohmann::ordered_json object{
      {"predictions", result.predicted}, {"skipped", result.skipped}, {"file", file}};
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// The files of WILDS' leaderboard, for splits of the dataset that the run was trained on.
void predict_splits(const PredictArguments& arguments, Context& context) {
  if (arguments.out.empty()) {
    throw UsageError("--out: expected a folder for the files of --splits, got none");
  }
  const Interrupt interrupt;
  TimedLines progress(context.err);
  try {
    const std::vector<std::filesystem::path> files = runs::predict_wilds(
        {.run = runs::folder_of_step(arguments.model.run, arguments.model.step),
         .splits = base::comma_separated(arguments.splits),
         .out = arguments.out,
         .data_root = arguments.data_root,
         .epoch = arguments.model.step ? std::to_string(*arguments.model.step) : "last",
         .workers = arguments.request.workers,
         .threads = arguments.request.threads},
        [&] { return interrupt.signal() != 0; },
        [&](std::int64_t done, std::int64_t all) {
          if (!arguments.quiet) {
            progress.count("predicted", "samples", done, all);
          }
        });
    for (const std::filesystem::path& file : files) {
      if (!arguments.quiet) {
        context.out << base::printable(file.string()) << '\n';
      }
    }
  } catch (const train::Interrupted&) {
    context.err << "Stopped before the end\n";
    context.status = 128 + interrupt.signal();
  }
}

void predict(const PredictArguments& arguments, Context& context) {
  std::signal(SIGXFSZ, SIG_IGN);
  if (!arguments.splits.empty()) {
    predict_splits(arguments, context);
    return;
  }
  if (arguments.request.inputs.empty()) {
    throw UsageError("INPUTS: expected files, folders, or - for standard input, got none");
  }
  if (arguments.format != "csv" && arguments.format != "jsonl") {
    throw UsageError("--format: expected csv or jsonl, got '" + arguments.format + "'");
  }
  if (data::is_picture_name(arguments.out)) {
    throw UsageError("--out: expected the name of a CSV or JSON lines file, got '" +
                     base::printable(arguments.out) + "', the name of an image");
  }
  check_not_input("--out", arguments.out, arguments.request.inputs);
  runs::PredictRequest request = arguments.model.complete(arguments.request);
  request.keep = kept_columns(arguments);

  std::optional<base::OutputFile> file;
  const auto write = [&](const std::string& line) {
    if (file) {
      file->write(line);
    } else if (!(context.out << line)) {
      flush(context.out);  // throws what it was
    }
  };
  const Interrupt interrupt;
  std::optional<CsvLines> csv;
  std::vector<std::string> classes;
  runs::PredictHooks hooks;
  hooks.begin = [&](const runs::ModelCard& card) {
    classes = class_names(card);
    if (arguments.format == "csv") {
      csv.emplace(card, request.keep);
    }
    if (!arguments.out.empty()) {
      file.emplace(arguments.out);
    }
    if (csv) {
      write(csv->header());
    }
  };
  TimedLines progress(context.err);
  std::int64_t predicted = 0;
  hooks.each = [&](const runs::Prediction& prediction) {
    write(csv ? csv->line(prediction) : json_line(prediction, classes, request.keep));
    ++predicted;
    if (file && !arguments.quiet) {  // otherwise the predictions themselves show it
      progress.count("predicted", "inputs", predicted, 0);
    }
  };
  hooks.notice = [&](std::string_view sentence) { context.err << notice_line(sentence) << '\n'; };
  hooks.should_stop = [&] { return interrupt.signal() != 0; };
  const runs::PredictResult result = runs::predict(request, context.in, hooks);
  if (result.stopped) {
    context.err << "Stopped after " << result.predicted << " inputs"
                << (file ? "; " + base::printable(arguments.out) + " is not written" : "") << '\n';
    context.status = 128 + interrupt.signal();
    return;
  }
  if (file) {
    file->finish();
    if (arguments.json) {
      context.out << summary_of_file(result, arguments.out);
    } else if (!arguments.quiet) {
      context.out << result.predicted << (result.predicted == 1 ? " prediction" : " predictions") << " in "
                  << base::printable(arguments.out) << '\n';
    }
  }
  if (result.skipped > 0) {
    context.err << "pair: skipped broken files: " << result.skipped << '\n';
  }
}

constexpr auto predict_footer =
    R"(INPUTS depend on what the model was trained on:
  images          image files, folders of them, CSV files with a column path that list them, or - for paths on
                  standard input, one per line
  digits          image files, folders, -, or IDX files as MNIST's, gzipped or not
  tables          CSV files with the columns that the model uses, in any order, or - for standard input
  texts           CSV files with the column of texts; other files and - have one text per line
  points          CSV files, one line per input, or - for standard input; with a header, columns by name

One line per input: its name, the predicted class and one probability per class, or the value of a regression.
Lines are written immediately, in the order of the inputs; FILE appears only when it is complete.

Example:
  pair predict runs/pets photos/ -o predictions.csv
  find /data -name '*.jpg' | pair predict runs/pets - --format jsonl
  pair predict runs/digits t10k-images-idx3-ubyte.gz --channel 0
  pair predict runs/camelyon17 --splits val,test -o predictions/)";

}  // namespace

void add_predict(CLI::App& app, Context& context) {
  const auto arguments = std::make_shared<PredictArguments>();
  CLI::App* command = app.add_subcommand("predict", "Apply a trained model to new inputs");
  command->add_option("RUN", arguments->model.run, "The folder of a finished run")->required();
  command->add_option("INPUTS", arguments->request.inputs, "Files, folders, or - for standard input");
  command
      ->add_option("-o,--out", arguments->out,
                   "Write the predictions to FILE; with --splits, to WILDS' file names in this folder")
      ->type_name("FILE");
  command->add_option("--splits", arguments->splits,
                      "In place of INPUTS: splits of the dataset of WILDS that the run was trained on");
  command
      ->add_option("--data-root", arguments->data_root,
                   "--splits: the folder that holds the dataset's folder (default: the run's)")
      ->type_name("DIR");
  CLI::Option* const format =
      command->add_option("--format", arguments->format, "csv or jsonl")->capture_default_str();
  add_json_flag(*command, *format, arguments->format, "jsonl");
  CLI::Option* const json = command->get_option("--json");
  json->description(json->get_description() + "; with -o, also write an object with the number and the file");
  command
      ->add_option("--keep", arguments->keep,
                   "Tables: columns of the input, separated by commas, to copy into the predictions")
      ->type_name("COLUMNS");
  command->add_option("--channel", arguments->request.channel,
                      "Coloured digits: take grey ones as red (0) or green (1)");
  command->add_option("--batch", arguments->request.batch, "Inputs per batch")->capture_default_str();
  arguments->model.add(*command, arguments->request);
  command->add_flag("--quiet", arguments->quiet, "With -o, print no progress, and nothing at the end");
  command->footer(predict_footer);
  command->callback([arguments, json, &context] {
    arguments->json = json->count() > 0;
    predict(*arguments, context);
  });
}

}  // namespace pair::cli

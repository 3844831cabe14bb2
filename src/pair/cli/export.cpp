#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "pair/base/names.h"
#include "pair/cli/model_commands.h"
#include "pair/runs/export_model.h"

namespace pair::cli {
namespace {

struct ExportArguments {
  std::string run;
  std::string out;
  std::optional<std::int64_t> step;
  bool quiet = false;
  bool json = false;
};

// Endings of other formats of models and arrays: a file with one of them would be taken for what it is not.
constexpr std::array<std::string_view, 18> other_formats = {
    ".bin", ".caffemodel", ".ckpt", ".gguf", ".h5",  ".hdf5",   ".joblib", ".keras", ".mlmodel",
    ".npy", ".npz",        ".onnx", ".pb",   ".pkl", ".pickle", ".pt",     ".pth",   ".tflite"};

void refuse_other_formats(const std::string& file) {
  const std::string ending = base::lower_case(std::filesystem::path(file).extension().string());
  if (std::ranges::find(other_formats, ending) != other_formats.end()) {
    throw UsageError("--out: expected a .safetensors file, the only format that is written, got '" +
                     base::printable(file) + "'");
  }
}

void export_weights(const ExportArguments& arguments, Context& context) {
  refuse_other_formats(arguments.out);
  const bool made = runs::export_model(arguments.run, arguments.out, arguments.step);
  if (made) {
    context.err << "pair: " << base::printable(arguments.run)
                << " had no model; it was made from the run's last checkpoint\n";
  }
  if (arguments.json) {
    const nlohmann::ordered_json object{
        {"run", arguments.run},
        {"step", arguments.step ? nlohmann::ordered_json(*arguments.step) : nlohmann::ordered_json()},
        {"file", arguments.out}};
    context.out << object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  } else if (!arguments.quiet) {
    context.out << "Weights in " << base::printable(arguments.out) << '\n';
  }
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  const auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand("export", "Copy a trained model's weights, for other programs");
  command->add_option("RUN", arguments->run, "The folder of a finished run")->required();
  command->add_option("-o,--out", arguments->out, "The .safetensors file to write")
      ->type_name("FILE")
      ->required();
  command->add_option("--step", arguments->step,
                      "The model after this step, if the run kept it (default: after the last)");
  command->add_flag("--quiet", arguments->quiet, "Print nothing at the end");
  command->add_flag("--json", arguments->json,
                    "Write a JSON object at the end: run, step (null: the last) and file");
  command->footer(
      "The file has the parameters and buffers by name. In Python, safetensors.torch.load_file(FILE) is the\n"
      "state_dict. A finished run without a model gets one from its last checkpoint. Models of earlier steps "
      "are\n"
      "those that 'pair train --keep-checkpoints' has kept.\n\n"
      "Example:\n"
      "  pair export runs/pets -o pets.safetensors\n"
      "  pair export runs/pets --step 300 -o pets-300.safetensors");
  command->callback([arguments, &context] { export_weights(*arguments, context); });
}

}  // namespace pair::cli

#include "pair/runs/model_files.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "pair/base/files.h"
#include "pair/data/environment.h"
#include "pair/data/sha256.h"
#include "pair/models/model.h"
#include "pair/models/registry.h"
#include "pair/models/weights.h"
#include "pair/runs/device_name.h"
#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"
#include "pair/runs/trained.h"
#include "pair/train/precision.h"
#include "pair/train/scoring.h"
#include "pair/train/trainer.h"

namespace pair::runs {
namespace {

namespace fs = std::filesystem;

ModelCard card_of(const RunSpec& spec, const data::EnvironmentSet& data, std::int64_t step) {
  ModelCard card;
  card.model = spec.settings.model;
  card.model_options = spec.settings.model_options;
  card.input_shape = data::input_shape(data);
  card.outputs = data.outputs;
  card.loss = data.loss;
  card.classes = data.classes;
  card.input = data.input;
  if (data.table) {
    card.table = data.table;
    card.input = {std::string(data::table_input), {}};
    card.classes = data.table->label.classes;
  } else if (card.input.kind.empty() && card.input_shape.size() == 1) {
    card.input = data::form_of(data::NumbersInput{});
  }
  card.dataset = spec.dataset.name;
  for (const base::Field& field : spec.dataset.options.fields()) {
    card.dataset_options.emplace_back(field.name, spec.dataset.options.get(field));
  }
  card.environments = data::environment_names(spec.dataset);
  card.test_environments = data::test_environments(spec.dataset);
  card.metrics = data::entry_of(spec.dataset.name).metrics;
  card.algorithm = spec.algorithm;
  card.seed = spec.seed;
  card.steps = step;
  card.run = hash(spec);
  return card;
}

// "; its last record is of step 1500 of 8001, ...", or nothing if its files do not say.
std::string progress_of(const fs::path& folder) {
  try {
    const std::int64_t steps = spec_from_text(read_file(spec_file(folder))).settings.steps;
    const std::vector<nlohmann::json> records = read_records(results_file(folder));
    const std::int64_t step = records.empty() ? 0 : records.back().at("step").get<std::int64_t>();
    return "; its last record is of step " + std::to_string(step) + " of " + std::to_string(steps) +
           ", and the same 'pair train' command continues it";
  } catch (const std::exception&) {
    return "";
  }
}

// The digest of model.json from `done`; none if it is not there.
std::optional<std::string> digest_in_done(const fs::path& folder) {
  const nlohmann::json done =
      nlohmann::json::parse(read_file(done_file(folder)), nullptr, /*allow_exceptions=*/false);
  const auto found = done.find("model_sha256");
  if (!done.is_object() || found == done.end() || !found->is_string()) {
    return std::nullopt;
  }
  return found->get<std::string>();
}

}  // namespace

std::string write_model(const std::filesystem::path& folder, const RunSpec& spec,
                        const data::EnvironmentSet& data, const train::Trainer& trainer) {
  trainer.save_weights(weights_file(folder));
  ModelCard card = card_of(spec, data, trainer.step());
  card.averaged_steps = trainer.averaged_steps();
  card.weights_sha256 = data::sha256_of_file(weights_file(folder), base::largest_checkpoint);
  const std::string text = to_text(card);
  replace_file(card_file(folder), text);
  return data::sha256(text);
}

void remove_model(const std::filesystem::path& folder) {
  // model.json first: weights alone are not a model.
  for (const fs::path& file : {card_file(folder), weights_file(folder)}) {
    std::error_code ignored;
    fs::remove(file, ignored);
  }
}

ModelCard read_card(const std::filesystem::path& folder) {
  if (const std::string fault = base::folder_fault(folder); !fault.empty()) {
    throw std::invalid_argument(folder.string() +
                                ": expected the folder of a finished run, got a path that " + fault);
  }
  try {
    const bool is_run = base::is_there(spec_file(folder)) || base::is_there(results_file(folder));
    const bool done = base::is_there(done_file(folder));
    if (is_run && !done) {
      throw std::invalid_argument(folder.string() +
                                  ": expected a finished run, got one that is not ('done' is "
                                  "missing)" +
                                  progress_of(folder));
    }
    if (!base::is_there(card_file(folder))) {
      throw std::invalid_argument(
          folder.string() + (done
                                 ? ": expected a run with a model, got one without model.json; 'pair export' "
                                   "makes it from the run's checkpoint"
                                 : ": expected the folder of a finished run, got one without model.json"));
    }
    const std::string text = read_file(card_file(folder));
    if (const std::optional<std::string> expected = done ? digest_in_done(folder) : std::nullopt;
        expected && *expected != data::sha256(text)) {
      throw std::invalid_argument(card_file(folder).string() + " has changed since the run wrote it");
    }
    try {
      return card_from_text(text);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(card_file(folder).string() + " cannot be used: " + error.what());
    }
  } catch (const base::FileError& error) {
    throw std::invalid_argument(error.what());
  }
}

TrainedModel::TrainedModel(const std::filesystem::path& folder, const std::string& device)
    : card_(read_card(folder)), device_(device_named(device)) {
  const fs::path weights = weights_file(folder);
  try {
    if (data::sha256_of_file(weights, base::largest_checkpoint) != card_.weights_sha256) {
      throw std::invalid_argument(weights.string() + " has changed since the run wrote it");
    }
    data::Random unused(0, "model");
    const std::int64_t size = std::accumulate(card_.input_shape.begin(), card_.input_shape.end(),
                                              std::int64_t{1}, std::multiplies<>());
    model_ = models::make_model(card_.model, card_.model_options,
                                {.size = size, .shape = card_.input_shape, .outputs = card_.outputs}, unused);
    models::load_weights(*model_, weights);
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(error.what());
  }
  model_->eval();
  if (device_.is_cuda()) {
    train::use_tf32(false);
    model_->to(device_);
  }
}

torch::Tensor TrainedModel::outputs(const torch::Tensor& inputs) {
  if (inputs.dim() < 1 || inputs.size(0) < 1 ||
      inputs.sizes().slice(1) != at::IntArrayRef(card_.input_shape)) {
    throw std::invalid_argument(
        "inputs: expected the shape " + data::shown_shape(card_.input_shape) + " each, got " +
        data::shown_shape(inputs.sizes().slice(std::min<std::size_t>(1, inputs.dim()))));
  }
  return train::outputs_of(*model_, inputs.to(device_)).to(torch::kCPU);
}

void make_model_from_checkpoint(const std::filesystem::path& folder) {
  RunSpec spec;
  try {
    spec = spec_from_text(read_file(spec_file(folder)));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(spec_file(folder).string() + " cannot be used: " + error.what());
  }
  DatasetCache datasets;
  const train::Trainer trainer = trained(spec, folder, datasets);
  (void)write_model(folder, spec, *datasets.get(spec.dataset, spec.seed), trainer);
}

}  // namespace pair::runs

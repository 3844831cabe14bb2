#include "pair/runs/launch_check.h"

#include <c10/util/Exception.h>

#include <stdexcept>

#include "pair/base/files.h"
#include "pair/base/options.h"
#include "pair/base/tables.h"
#include "pair/data/environment.h"
#include "pair/data/image_manifest.h"
#include "pair/data/random.h"
#include "pair/data/weights_file.h"
#include "pair/models/model.h"
#include "pair/models/registry.h"
#include "pair/models/weights.h"
#include "pair/runs/run.h"
#include "pair/train/model_input.h"

namespace pair::runs {
namespace {

// Identifies also the model's inputs.
std::string start_key(const RunSpec& spec, const models::ModelInput& input) {
  std::string key = model_key(spec);
  key += '\n' + base::joined(input.shape, ",", [](std::int64_t size) { return std::to_string(size); });
  for (const std::int64_t number : {input.size, input.outputs, input.tokens.value_or(-1)}) {
    key += '\n' + std::to_string(number);
  }
  return key;
}

void require_start(const RunSpec& spec, const models::ModelInput& input) {
  try {
    const data::WeightsFile file(spec.weights);
    if (const std::string& found = file.sha256(); found != spec.weights_sha256) {
      throw std::invalid_argument("weights_sha256: expected " + spec.weights_sha256 + " for " + spec.weights +
                                  ", got " + found + ": the file has changed");
    }
    data::Random initial(spec.seed, "model");
    (void)models::load_pretrained(
        *models::make_model(spec.settings.model, spec.settings.model_options, input, initial), file,
        spec.weights);
  } catch (const base::FileError& error) {
    if (!error.wrong_path()) {
      throw;
    }
    throw std::invalid_argument(error.what());
  } catch (const std::runtime_error& error) {  // not weights, or not of this model
    throw std::invalid_argument(error.what());
  }
}

}  // namespace

std::string model_key(const RunSpec& spec) {
  std::string key = spec.weights + '\n' + spec.weights_sha256 + '\n' + spec.settings.model;
  const base::Options& options = spec.settings.model_options;
  for (const base::Field& field : options.fields()) {
    key += '\n' + field.name + '=' + base::as_text(options.get(field));
  }
  return key;
}

void LaunchCheck::require_trainable(const RunSpec& spec, const data::EnvironmentSet& data) {
  const auto* const list = dynamic_cast<const data::ImageManifest*>(data.source.get());
  if (list != nullptr && !lists_.contains(list->path())) {
    list->require_files();
    lists_.insert(list->path());
  }
  const models::ModelInput input = train::model_input(data);
  models::require_fit(spec.settings.model, spec.settings.model_options, input);
  if (spec.weights.empty()) {
    return;
  }
  if (std::string key = start_key(spec, input); !starts_.contains(key)) {
    require_start(spec, input);
    starts_.insert(std::move(key));
  }
}

void LaunchCheck::require_trainable(const RunSpec& spec, DatasetCache& datasets) {
  validate(spec);
  try {
    require_trainable(spec, *datasets.get(spec.dataset, spec.seed, spec.device));
  } catch (const c10::Error& error) {
    throw std::runtime_error(error.what_without_backtrace());  // such as a device without free memory
  }
}

}  // namespace pair::runs

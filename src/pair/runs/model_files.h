#pragma once

#include <torch/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "pair/runs/model_card.h"
#include "pair/runs/run_spec.h"

namespace pair::data {
struct EnvironmentSet;
}
namespace pair::models {
class Model;
}
namespace pair::train {
class Trainer;
}

// The model as a product: model.safetensors and model.json in the folder of a finished run. The two files are
// enough to use the model; they may be copied elsewhere.

namespace pair::runs {

// Writes both files, each replaced at once, the weights first, and returns the SHA-256 of model.json. The
// data is that of the spec. The folder is the run's own or one in its models folder (kept_models.h).
std::string write_model(const std::filesystem::path& folder, const RunSpec& spec,
                        const data::EnvironmentSet& data, const train::Trainer& trainer);

// Removes both files if they exist, so that a run without a model does not keep that of an earlier attempt.
void remove_model(const std::filesystem::path& folder);

// model.json of a folder. Throws std::invalid_argument with a sentence if the folder does not exist, is
// not a run's and has no model, where its run is not finished or keeps no model, or where the file cannot be
// used or is not the one that the run ended with.
ModelCard read_card(const std::filesystem::path& folder);

// A trained network, ready to use.
class TrainedModel {
 public:
  // Throws the errors of read_card, and std::invalid_argument if model.safetensors is missing, damaged, or of
  // another model. device: where it computes, in fp32 (device_name.h).
  explicit TrainedModel(const std::filesystem::path& folder, const std::string& device = "cpu");

  [[nodiscard]] const ModelCard& card() const { return card_; }
  // Inputs [n, ...] of card().input_shape, numbers or bytes (data::as_numbers), n >= 1; the outputs are [n,
  // card().outputs] on the CPU, in evaluation mode. Throws std::invalid_argument for another shape.
  [[nodiscard]] torch::Tensor outputs(const torch::Tensor& inputs);

 private:
  ModelCard card_;
  torch::Device device_;
  std::shared_ptr<models::Model> model_;
};

// For a finished run without a model (finished by an earlier version, or set to keep none): makes it from the
// run's last checkpoint, in the run's folder, using the run's data. `done` is unchanged. Throws the errors of
// trained() (trained.h).
void make_model_from_checkpoint(const std::filesystem::path& folder);

}  // namespace pair::runs

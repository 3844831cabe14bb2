#include "pair/models/model.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

#include "pair/base/names.h"
#include "pair/models/initial.h"
#include "pair/models/linear.h"
#include "pair/models/mlp.h"
#include "pair/models/mnist_cnn.h"

namespace pair::models {
namespace {

constexpr std::string_view mnist_cnn = "mnist_cnn";

constexpr std::array<ModelInfo, 3> infos = {{
    {"mlp", "hidden layers with ReLU and a linear head; 392-256-256-1 is the paper's on ColoredMNIST"},
    {"linear", "the inputs as features and a linear head"},
    {mnist_cnn, "DomainBed's for digits: four convolutions with group norm, 128 features and a linear head"},
}};

void require_range(std::string_view what, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) {
    throw std::invalid_argument("the model's " + std::string(what) + " is " + std::to_string(value) +
                                "; accepted are " + std::to_string(least) + " to " + std::to_string(most));
  }
}

// A size that no tensor of ours exceeds, so that products of two stay in range.
constexpr std::int64_t largest_size = std::int64_t{1} << 30;

std::shared_ptr<Model> build(const ModelSpec& spec) {
  if (spec.name == "mlp") {
    require_range("width", spec.width, 1, 65536);
    require_range("depth", spec.depth, 1, 64);
    return std::make_shared<Mlp>(spec.input_size, spec.width, spec.depth, spec.outputs);
  }
  if (spec.name == mnist_cnn) {
    if (spec.input_shape.size() != 3) {
      std::ostringstream message;
      message << "the model's inputs have shape " << at::IntArrayRef(spec.input_shape)
              << "; mnist_cnn accepts [channels, rows, columns]";
      throw std::invalid_argument(message.str());
    }
    return std::make_shared<MnistCnn>(spec.input_shape.front(), spec.outputs);
  }
  return std::make_shared<Linear>(spec.input_size, spec.outputs);
}

}  // namespace

std::vector<torch::Tensor> Model::featurizer_parameters() const {
  std::vector<torch::Tensor> all = parameters(/*recurse=*/false);
  for (const auto& child : named_children()) {
    if (child.value().get() != head.get()) {
      const std::vector<torch::Tensor> some = child.value()->parameters();
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  return all;
}

std::span<const ModelInfo> models() {
  return infos;
}

std::shared_ptr<Model> make_model(const ModelSpec& spec, data::Random& random) {
  std::array<std::string_view, infos.size()> names;
  std::transform(infos.begin(), infos.end(), names.begin(), [](const ModelInfo& info) { return info.name; });
  if (std::find(names.begin(), names.end(), spec.name) == names.end()) {
    throw std::invalid_argument(base::unknown_name("model", spec.name, names));
  }
  require_range("input_size", spec.input_size, 1, largest_size);
  require_range("outputs", spec.outputs, 1, largest_size);
  std::shared_ptr<Model> model = build(spec);
  spec.name == mnist_cnn ? fill_default(*model, random) : fill_xavier_uniform(*model, random);
  return model;
}

torch::Tensor flatten_inputs(const torch::Tensor& inputs, std::int64_t input_size) {
  if (inputs.dim() < 1 || inputs.numel() != inputs.size(0) * input_size) {
    std::ostringstream message;
    message << "inputs have shape " << inputs.sizes() << "; accepted is [n, ...] with " << input_size
            << " numbers an input";
    throw std::invalid_argument(message.str());
  }
  return inputs.reshape({inputs.size(0), input_size});
}

}  // namespace pair::models

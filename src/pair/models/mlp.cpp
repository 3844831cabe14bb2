#include <torch/utils.h>

#include <algorithm>
#include <utility>

#include "pair/device/perceptron.h"
#include "pair/models/fused.h"
#include "pair/models/initial.h"
#include "pair/models/model.h"
#include "pair/models/registry.h"

// A multilayer perceptron: `depth` hidden layers of `width` units with ReLU give the features, a linear head
// the logits. The paper's on ColoredMNIST is 392-256-256-1: depth 2, width 256.

namespace pair::models {
namespace {

struct MlpOptions {
  std::int64_t width = 256;
  std::int64_t depth = 2;
};

void describe(base::Fields<MlpOptions>& field) {
  field.whole("width", &MlpOptions::width, std::int64_t{1}, 65'536, "units per hidden layer");
  field.whole("depth", &MlpOptions::depth, std::int64_t{1}, 64, "hidden layers");
}

class HiddenLayers final : public RectifiedPass {
 public:
  HiddenLayers(std::vector<torch::nn::Linear> layers, torch::Tensor rows) : layers_(std::move(layers)) {
    const torch::NoGradGuard no_graph;
    rows_.push_back(std::move(rows));
    for (const torch::nn::Linear& layer : layers_) {
      rows_.push_back(linear_relu(layer, rows_.back()));
    }
  }

  [[nodiscard]] const torch::Tensor& features() const override { return rows_.back(); }

  [[nodiscard]] std::vector<torch::Tensor> back(torch::Tensor gradient, torch::Tensor sums) const override {
    const torch::NoGradGuard no_graph;
    std::vector<torch::Tensor> found(2 * layers_.size());
    for (std::size_t layer = layers_.size(); layer-- > 0;) {
      found[2 * layer] = torch::mm(gradient.t(), rows_[layer]);
      found[2 * layer + 1] = sums;
      if (layer > 0) {
        const device::ReluGradient before =
            device::relu_backward(back_through(layers_[layer]->weight, gradient), rows_[layer]);
        gradient = before.gradient;
        sums = before.sum;
      }
    }
    return found;
  }

 private:
  std::vector<torch::nn::Linear> layers_;
  std::vector<torch::Tensor> rows_;  // the input of each layer, and the output of the last one
};

class Mlp final : public Model {
 public:
  Mlp(const MlpOptions& options, const ModelInput& input);

  torch::Tensor features(const torch::Tensor& inputs) override;
  // On CUDA devices, if every hidden layer is trained.
  std::unique_ptr<RectifiedPass> rectified_pass(const torch::Tensor& inputs) override;
  [[nodiscard]] bool takes_autocast() const override { return false; }

 private:
  std::int64_t input_size_;
  std::vector<torch::nn::Linear> hidden_;  // parameters "hidden0", "hidden1", ...
};

}  // namespace

Mlp::Mlp(const MlpOptions& options, const ModelInput& input) : input_size_(input.size) {
  for (std::int64_t layer = 0; layer < options.depth; ++layer) {
    hidden_.emplace_back(
        register_module("hidden" + std::to_string(layer),
                        torch::nn::Linear(layer == 0 ? input.size : options.width, options.width)));
  }
  head = register_module("head", torch::nn::Linear(options.width, input.outputs));
}

torch::Tensor Mlp::features(const torch::Tensor& inputs) {
  torch::Tensor rows = flatten_inputs(inputs, input_size_);
  for (torch::nn::Linear& layer : hidden_) {
    rows = linear_relu(layer, rows);
  }
  return rows;
}

std::unique_ptr<RectifiedPass> Mlp::rectified_pass(const torch::Tensor& inputs) {
  const torch::Tensor rows = flatten_inputs(inputs, input_size_);
  const bool taken = std::all_of(hidden_.begin(), hidden_.end(), [&](const torch::nn::Linear& layer) {
    return takes_linear_relu(layer, rows) && layer->weight.requires_grad() && layer->bias.requires_grad();
  });
  return taken ? std::make_unique<HiddenLayers>(hidden_, rows) : nullptr;
}

ModelEntry mlp() {
  return model_entry<MlpOptions>(
      "mlp", "hidden layers with ReLU and a linear head; 392-256-256-1 is the paper's on ColoredMNIST",
      [](const MlpOptions& options, const ModelInput& input, data::Random& random) {
        auto model = std::make_shared<Mlp>(options, input);
        fill_xavier_uniform(*model, random);
        return model;
      });
}

}  // namespace pair::models

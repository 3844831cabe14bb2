#include "pair/models/mlp.h"

#include <torch/utils.h>

#include <algorithm>
#include <utility>

#include "pair/device/kernels.h"
#include "pair/models/fused.h"

namespace pair::models {
namespace {

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
  std::vector<torch::Tensor> rows_;  // what each layer is given, and what the last one gives
};

}  // namespace

Mlp::Mlp(std::int64_t input_size, std::int64_t width, std::int64_t depth, std::int64_t outputs)
    : input_size_(input_size) {
  for (std::int64_t layer = 0; layer < depth; ++layer) {
    hidden_.push_back(register_module("hidden" + std::to_string(layer),
                                      torch::nn::Linear(layer == 0 ? input_size : width, width)));
  }
  head = register_module("head", torch::nn::Linear(width, outputs));
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

}  // namespace pair::models

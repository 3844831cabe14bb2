#include "pair/models/mnist_cnn.h"

#include <array>
#include <sstream>
#include <stdexcept>

namespace pair::models {
namespace {

constexpr std::int64_t groups = 8;
struct Layer {
  std::int64_t channels;
  std::int64_t stride;
};
constexpr std::array layers = {Layer{64, 1}, Layer{128, 2}, Layer{128, 1}, Layer{128, 1}};

}  // namespace

MnistCnn::MnistCnn(std::int64_t channels, std::int64_t outputs) {
  std::int64_t before = channels;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    convolutions_.push_back(register_module(
        "conv" + number,
        torch::nn::Conv2d(
            torch::nn::Conv2dOptions(before, layers[i].channels, 3).stride(layers[i].stride).padding(1))));
    norms_.push_back(register_module(
        "norm" + number, torch::nn::GroupNorm(torch::nn::GroupNormOptions(groups, layers[i].channels))));
    before = layers[i].channels;
  }
  head = register_module("head", torch::nn::Linear(before, outputs));
}

torch::Tensor MnistCnn::features(const torch::Tensor& inputs) {
  if (inputs.dim() != 4) {
    std::ostringstream message;
    message << "inputs have shape " << inputs.sizes() << "; mnist_cnn accepts [n, channels, rows, columns]";
    throw std::invalid_argument(message.str());
  }
  torch::Tensor images = inputs;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    images = norms_[i]->forward(convolutions_[i]->forward(images).relu_());
  }
  return images.mean({2, 3});
}

}  // namespace pair::models

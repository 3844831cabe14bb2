#pragma once

#include "pair/models/model.h"

namespace pair::models {

// A multilayer perceptron: `depth` hidden layers of `width` units with ReLU make the features, a linear head
// the logits. On ColoredMNIST the paper's is 392-256-256-1: depth 2, width 256.
class Mlp final : public Model {
 public:
  Mlp(std::int64_t input_size, std::int64_t width, std::int64_t depth, std::int64_t outputs);

  torch::Tensor features(const torch::Tensor& inputs) override;
  // On CUDA devices, where every hidden layer is trained.
  std::unique_ptr<RectifiedPass> rectified_pass(const torch::Tensor& inputs) override;

 private:
  std::int64_t input_size_;
  std::vector<torch::nn::Linear> hidden_;  // "hidden0", "hidden1", ... among the module's parameters
};

}  // namespace pair::models

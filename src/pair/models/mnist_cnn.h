#pragma once

#include "pair/models/model.h"

namespace pair::models {

// DomainBed's network for digits (its MNIST_CNN): four 3x3 convolutions of 64, 128, 128 and 128 channels, the
// second with stride 2, each followed by ReLU and a group norm of 8 groups; the mean over the image makes 128
// features, a linear head the logits. Inputs are [n, channels, rows, columns] of any size.
class MnistCnn final : public Model {
 public:
  MnistCnn(std::int64_t channels, std::int64_t outputs);

  torch::Tensor features(const torch::Tensor& inputs) override;
  [[nodiscard]] bool takes_half() const override { return true; }

 private:
  std::vector<torch::nn::Conv2d> convolutions_;  // "conv1" ... "conv4" among the module's parameters
  std::vector<torch::nn::GroupNorm> norms_;      // "norm1" ... "norm4"
};

}  // namespace pair::models

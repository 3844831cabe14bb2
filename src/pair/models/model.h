#pragma once

#include <torch/nn.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/random.h"

// A predictor f = w o phi: a featurizer and a linear head, kept apart because PAIR-o takes gradients from
// the head alone and the step cuts the graph between them.

namespace pair::models {

// A pass through a featurizer that ends in ReLU, and what its way back needs.
class RectifiedPass {
 public:
  virtual ~RectifiedPass() = default;

  [[nodiscard]] virtual const torch::Tensor& features() const = 0;  // [n, d], without a graph

  // From the gradient [n, d] of what the last ReLU was given, and its sums over the rows [d], to those of
  // featurizer_parameters().
  [[nodiscard]] virtual std::vector<torch::Tensor> back(torch::Tensor gradient, torch::Tensor sums) const = 0;
};

class Model : public torch::nn::Module {
 public:
  // phi: [n, ...] inputs to [n, d] features.
  virtual torch::Tensor features(const torch::Tensor& inputs) = 0;

  // The same by hand, where that is faster than autograd's way; else null.
  virtual std::unique_ptr<RectifiedPass> rectified_pass(const torch::Tensor& /*inputs*/) { return nullptr; }

  // w: [n, d] features to [n, k] logits.
  torch::Tensor logits(const torch::Tensor& features) { return head->forward(features); }
  torch::Tensor forward(const torch::Tensor& inputs) { return logits(features(inputs)); }

  // Whether features() also takes inputs of 16 bits on CUDA devices, works in 16 bits then, and gives
  // features of 32. The parameters stay as they are.
  [[nodiscard]] virtual bool takes_half() const { return false; }

  // The parameters of phi: all but the head's, and none for a linear model.
  [[nodiscard]] std::vector<torch::Tensor> featurizer_parameters() const;
  [[nodiscard]] std::vector<torch::Tensor> head_parameters() const { return head->parameters(); }

  torch::nn::Linear head{nullptr};
};

struct ModelSpec {
  std::string name = "mlp";     // see models()
  std::int64_t input_size = 0;  // numbers an input after flattening
  std::int64_t outputs = 1;     // logits an input
  std::int64_t width = 256;     // mlp: units a hidden layer. 1 to 65536
  std::int64_t depth = 2;       // mlp: hidden layers. 1 to 64
  // mnist_cnn: [channels, rows, columns]; the others flatten their inputs and need only the size.
  std::vector<std::int64_t> input_shape = {};
};

struct ModelInfo {
  std::string_view name;
  std::string_view summary;
};

std::span<const ModelInfo> models();

// Weights are drawn from random alone (initial.h), so that a seed gives the same model on every device:
// Xavier-uniform with zero biases, as the paper's authors have it on ColoredMNIST, and PyTorch's default for
// mnist_cnn, as DomainBed has it. Throws std::invalid_argument for an unknown name (the nearest listed) or a
// value out of range.
std::shared_ptr<Model> make_model(const ModelSpec& spec, data::Random& random);

// For models on vectors: [n, ...] inputs as [n, input_size] rows. Throws std::invalid_argument where an input
// holds another count of numbers.
torch::Tensor flatten_inputs(const torch::Tensor& inputs, std::int64_t input_size);

}  // namespace pair::models

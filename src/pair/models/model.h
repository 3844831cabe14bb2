#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pair/data/random.h"

// A predictor f = w o phi: a featurizer and a linear head, kept separate because PAIR-o takes gradients from
// the head alone and each step cuts the graph between them.

namespace pair::models {

// A forward pass through a featurizer that ends in ReLU, with the data for its backward pass.
class RectifiedPass {
 public:
  virtual ~RectifiedPass() = default;

  [[nodiscard]] virtual const torch::Tensor& features() const = 0;  // [n, d], without a graph

  // Maps the gradient [n, d] of the last ReLU's input, and its sums over the rows [d], to the gradients of
  // featurizer_parameters().
  [[nodiscard]] virtual std::vector<torch::Tensor> back(torch::Tensor gradient, torch::Tensor sums) const = 0;
};

class Model : public torch::nn::Module {
 public:
  // phi: [n, ...] inputs to [n, d] features.
  virtual torch::Tensor features(const torch::Tensor& inputs) = 0;

  // The same, implemented by hand, if that is faster than autograd; otherwise null.
  virtual std::unique_ptr<RectifiedPass> rectified_pass(const torch::Tensor& /*inputs*/) { return nullptr; }

  // w: [n, d] features to [n, k] logits.
  torch::Tensor logits(const torch::Tensor& features) { return head->forward(features); }
  torch::Tensor forward(const torch::Tensor& inputs) { return logits(features(inputs)); }

  // Whether steps on CUDA devices are in fp16: features() gets 16-bit inputs, works in 16 bits by kernels of
  // its own and returns 32-bit features. Parameters keep their type.
  [[nodiscard]] virtual bool steps_in_half() const { return false; }

  // Whether features() works under autocast (train/precision.h): it uses torch's operations, not kernels that
  // expect one type of numbers.
  [[nodiscard]] virtual bool takes_autocast() const { return true; }

  // For weights of other programs (weights.h): this model's name of a tensor that their files call `name`,
  // and its convolution on the inputs, whose filters are repeated for another number of channels; empty:
  // none.
  [[nodiscard]] virtual std::string name_of_weight(const std::string& name) const { return name; }
  [[nodiscard]] virtual std::string first_convolution() const { return {}; }

  // The parameters of phi: all except the head's; none for a linear model.
  [[nodiscard]] std::vector<torch::Tensor> featurizer_parameters() const;
  [[nodiscard]] std::vector<torch::Tensor> head_parameters() const { return head->parameters(); }

  torch::nn::Linear head{nullptr};
};

// For models on vectors: [n, ...] inputs as [n, input_size] rows. Throws std::invalid_argument if an input
// has a different number of values.
torch::Tensor flatten_inputs(const torch::Tensor& inputs, std::int64_t input_size);

}  // namespace pair::models

#include "pair/models/mlp.h"

#include "pair/models/fused.h"

namespace pair::models {

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

}  // namespace pair::models

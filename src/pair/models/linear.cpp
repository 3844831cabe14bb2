#include "pair/models/linear.h"

namespace pair::models {

Linear::Linear(std::int64_t input_size, std::int64_t outputs) : input_size_(input_size) {
  head = register_module("head", torch::nn::Linear(input_size, outputs));
}

torch::Tensor Linear::features(const torch::Tensor& inputs) {
  return flatten_inputs(inputs, input_size_);
}

}  // namespace pair::models

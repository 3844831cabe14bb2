#include "pair/models/initial.h"
#include "pair/models/model.h"
#include "pair/models/registry.h"

// A linear predictor: the features are the flattened inputs, and the head is the whole model.

namespace pair::models {
namespace {

class Linear final : public Model {
 public:
  explicit Linear(const ModelInput& input) : input_size_(input.size) {
    head = register_module("head", torch::nn::Linear(input.size, input.outputs));
  }

  torch::Tensor features(const torch::Tensor& inputs) override { return flatten_inputs(inputs, input_size_); }

 private:
  std::int64_t input_size_;
};

}  // namespace

ModelEntry linear() {
  ModelEntry entry =
      model_entry("linear", "a linear head on the inputs", [](const ModelInput& input, data::Random& random) {
        auto model = std::make_shared<Linear>(input);
        fill_xavier_uniform(*model, random);
        return model;
      });
  entry.linear = true;
  return entry;
}

}  // namespace pair::models

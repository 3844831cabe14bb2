#pragma once

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>

#include "pair/data/random.h"
#include "pair/models/dropout.h"
#include "pair/models/model.h"

// A small network whose forward pass depends on its mode: BatchNorm and Dropout.

namespace pair::train::testing {

class NormalizedModel : public models::Model {
 public:
  explicit NormalizedModel(std::int64_t inputs = 4, std::int64_t width = 8, double dropout = 0.2) {
    hidden_ = register_module("hidden", torch::nn::Linear(inputs, width));
    norm = register_module("norm", torch::nn::BatchNorm1d(width));
    dropout_ = register_module("dropout", std::make_shared<models::Dropout>(dropout));
    head = register_module("head", torch::nn::Linear(width, 1));
  }
  torch::Tensor features(const torch::Tensor& inputs) override {
    return dropout_->forward(norm->forward(hidden_->forward(inputs)).relu());
  }

  torch::nn::BatchNorm1d norm{nullptr};

 private:
  torch::nn::Linear hidden_{nullptr};
  std::shared_ptr<models::Dropout> dropout_;
};

// With weights drawn from the seed alone.
inline std::shared_ptr<NormalizedModel> normalized_model(std::uint64_t seed = 1) {
  auto model = std::make_shared<NormalizedModel>();
  data::Random random(seed, "model");
  for (const auto& child : model->named_children()) {
    if (child.key() == "hidden" || child.key() == "head") {
      const torch::NoGradGuard no_graph;
      for (const torch::Tensor& parameter : child.value()->parameters()) {
        auto values = parameter.view({-1});
        for (std::int64_t i = 0; i < values.numel(); ++i) {
          values[i] = random.uniform(-0.5, 0.5);
        }
      }
    }
  }
  return model;
}

}  // namespace pair::train::testing

#pragma once

#include "pair/models/model.h"

namespace pair::models {

// A linear predictor: the features are the flattened inputs themselves, and the head is the whole model.
class Linear final : public Model {
 public:
  Linear(std::int64_t input_size, std::int64_t outputs);

  torch::Tensor features(const torch::Tensor& inputs) override;

 private:
  std::int64_t input_size_;
};

}  // namespace pair::models

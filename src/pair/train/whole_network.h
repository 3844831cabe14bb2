#pragma once

#include <torch/types.h>

#include <memory>

#include "pair/objectives/objective.h"
#include "pair/train/step_network.h"
#include "pair/train/step_path.h"

// The path for objectives that need gradients of the whole network (IGA): the graph is not cut, and every
// objective has its own backward pass.

namespace pair::train {

class WholeNetwork : public StepPath {
 public:
  explicit WholeNetwork(std::shared_ptr<const StepNetwork> network);

  Result with_weights(const Batch& batch, std::span<const double> weights, data::Random& random) override;
  torch::Tensor compare(const Batch& batch, GradientSource source, data::Random& random,
                        const torch::Tensor& also) override;
  torch::Tensor gradient(const torch::Tensor& weights) override;
  void forget() override { rows_.reset(); }

 private:
  [[nodiscard]] objectives::HeadView view_of(const Batch& batch) const;

  std::shared_ptr<const StepNetwork> network_;
  torch::Tensor rows_;  // [m, P], between compare and gradient
};

}  // namespace pair::train

#pragma once

#include <torch/optim.h>
#include <torch/serialize.h>

#include <memory>
#include <vector>

#include "pair/train/settings.h"

namespace pair::train {

// The optimizer that the settings name, for algorithms with their own update (algorithm.h): Adam, with
// AMSGrad if settings.amsgrad is set, or SGD with descent_momentum. The term l2 |theta|^2 is weight decay of
// 2 l2 for both. The learning rate comes with each step: that of lr, lr_end, warmup and schedule
// (Phases::lr).
class DescentOptimizer {
 public:
  DescentOptimizer(std::vector<torch::Tensor> parameters, const Settings& settings);

  // One step on the gradient of the loss, a scalar; its graph is freed.
  void step(const torch::Tensor& loss, double lr);

  void save(torch::serialize::OutputArchive& archive) const;
  void load(torch::serialize::InputArchive& archive);

 private:
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

// Sets the learning rate of all parameters of an optimizer.
void set_lr(torch::optim::Optimizer& optimizer, double lr);

}  // namespace pair::train

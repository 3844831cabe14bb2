#include "pair/train/descent_optimizer.h"

#include <utility>

namespace pair::train {
namespace {

std::unique_ptr<torch::optim::Optimizer> optimizer_of(std::vector<torch::Tensor> parameters,
                                                      const Settings& settings) {
  // l2 |theta|^2 has the gradient 2 l2 theta, weight decay w theta.
  const double weight_decay = 2.0 * settings.l2;
  if (settings.optimizer == Optimizer::sgd) {
    return std::make_unique<torch::optim::SGD>(
        std::move(parameters),
        torch::optim::SGDOptions(settings.lr).momentum(settings.descent_momentum).weight_decay(weight_decay));
  }
  return std::make_unique<torch::optim::Adam>(
      std::move(parameters),
      torch::optim::AdamOptions(settings.lr).weight_decay(weight_decay).amsgrad(settings.amsgrad));
}

}  // namespace

DescentOptimizer::DescentOptimizer(std::vector<torch::Tensor> parameters, const Settings& settings)
    : optimizer_(optimizer_of(std::move(parameters), settings)) {}

void DescentOptimizer::step(const torch::Tensor& loss, double lr) {
  set_lr(*optimizer_, lr);
  optimizer_->zero_grad();
  loss.backward();
  optimizer_->step();
}

void DescentOptimizer::save(torch::serialize::OutputArchive& archive) const {
  optimizer_->save(archive);
}

void DescentOptimizer::load(torch::serialize::InputArchive& archive) {
  optimizer_->load(archive);
}

void set_lr(torch::optim::Optimizer& optimizer, double lr) {
  for (torch::optim::OptimizerParamGroup& group : optimizer.param_groups()) {
    group.options().set_lr(lr);
  }
}

}  // namespace pair::train

#include "pair/train/guarded_step.h"

#include <torch/utils.h>

#include <utility>

#include "pair/models/torch_compat.h"

namespace pair::train {
namespace {

// The velocity that an SGD optimizer keeps for a parameter; undefined if there is none.
torch::Tensor velocity(torch::optim::Optimizer& optimizer, const torch::Tensor& parameter) {
  const auto found = optimizer.state().find(models::compat::state_key(parameter));
  if (found == optimizer.state().end()) {
    return {};
  }
  const auto* state = dynamic_cast<const torch::optim::SGDParamState*>(found->second.get());
  return state != nullptr ? state->momentum_buffer() : torch::Tensor();
}

// Multiplies an optimizer's learning rates while it lives.
class ScaledRates {
 public:
  ScaledRates(torch::optim::Optimizer& optimizer, double factor) : groups_(optimizer.param_groups()) {
    for (torch::optim::OptimizerParamGroup& group : groups_) {
      rates_.push_back(group.options().get_lr());
      group.options().set_lr(rates_.back() * factor);
    }
  }
  ~ScaledRates() {
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      groups_[i].options().set_lr(rates_[i]);
    }
  }
  ScaledRates(const ScaledRates&) = delete;
  ScaledRates& operator=(const ScaledRates&) = delete;

 private:
  std::vector<torch::optim::OptimizerParamGroup>& groups_;
  std::vector<double> rates_;
};

}  // namespace

GuardedStep::GuardedStep(torch::optim::Optimizer& optimizer, bool restart, std::vector<torch::Tensor> buffers)
    : optimizer_(&optimizer), restart_(restart), buffers_(std::move(buffers)) {}

std::vector<torch::Tensor> GuardedStep::parameters() const {
  std::vector<torch::Tensor> all;
  for (const auto& group : optimizer_->param_groups()) {
    all.insert(all.end(), group.params().begin(), group.params().end());
  }
  return all;
}

bool GuardedStep::opposed() const {
  torch::Tensor product;
  for (const torch::Tensor& parameter : parameters()) {
    const torch::Tensor v = velocity(*optimizer_, parameter);
    if (v.defined() && parameter.grad().defined()) {
      const torch::Tensor term = torch::dot(parameter.grad().reshape({-1}), v.reshape({-1}));
      product = product.defined() ? product + term : term;
    }
  }
  return product.defined() && GuardState::opposed(product.item<double>());
}

void GuardedStep::drop_momentum() {
  for (const torch::Tensor& parameter : parameters()) {
    if (torch::Tensor v = velocity(*optimizer_, parameter); v.defined()) {
      v.zero_();
    }
  }
}

void GuardedStep::take_back() {
  const std::vector<torch::Tensor> current = parameters();
  for (std::size_t i = 0; i < last_good_.size(); ++i) {
    torch::Tensor(current[i]).copy_(last_good_[i]);
  }
  buffers_.restore();
  drop_momentum();
}

bool GuardedStep::apply(Verdict verdict) {
  const torch::NoGradGuard no_graph;
  if (verdict == Verdict::too_long) {
    state_.take_back();
    take_back();
    return false;
  }
  if (verdict != Verdict::not_finite) {
    state_.hold();
  }
  if (verdict != Verdict::good) {
    state_.refuse();
    take_back();
    state_.check();
    return false;
  }
  state_.accept();

  const std::vector<torch::Tensor> current = parameters();
  last_good_.resize(current.size());
  for (std::size_t i = 0; i < current.size(); ++i) {
    if (last_good_[i].defined()) {
      last_good_[i].copy_(current[i]);
    } else {
      last_good_[i] = current[i].detach().clone();
    }
  }
  buffers_.keep();
  if (restart_ && opposed()) {
    drop_momentum();
    state_.restart();
  }
  const ScaledRates scaled(*optimizer_, lr_factor());
  optimizer_->step();
  return true;
}

}  // namespace pair::train

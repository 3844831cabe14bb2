#include "pair/train/pair_optimizer.h"

#include <torch/autograd.h>

#include <stdexcept>
#include <utility>

#include "pair/train/host_numbers.h"

namespace pair::train {

PairOptimizer::PairOptimizer(torch::optim::Optimizer& optimizer,
                             std::vector<torch::Tensor> weighed_parameters, const PairOptions& options)
    : optimizer_(&optimizer),
      weighed_(std::move(weighed_parameters)),
      solver_(options.solver, options.preference, options.solver_options),
      guard_(optimizer, options.restart, options.buffers),
      backtrack_(options.backtrack) {
  if (weighed_.empty()) {
    throw std::invalid_argument("weighed_parameters: expected at least one, got none");
  }
}

moo::Solution PairOptimizer::step(const std::vector<torch::Tensor>& losses) {
  std::vector<torch::Tensor> rows;
  for (const torch::Tensor& loss : losses) {
    auto gradients = torch::autograd::grad({loss}, weighed_, {}, /*retain_graph=*/true,
                                           /*create_graph=*/false, /*allow_unused=*/true);
    for (std::size_t p = 0; p < gradients.size(); ++p) {
      if (!gradients[p].defined()) {
        gradients[p] = torch::zeros_like(weighed_[p]);
      }
    }
    rows.push_back(flattened(gradients));
  }
  const HostNumbers numbers = to_host(losses, torch::stack(rows));
  moo::Solution solution;
  if (!numbers.finite()) {
    guard_.apply(Verdict::not_finite);
    return solution;
  }
  if (backtrack_ && solver_.overshot(numbers.losses)) {
    guard_.apply(Verdict::too_long);
    return solution;
  }
  solution = solver_.weigh(numbers.losses, numbers.gram);

  torch::Tensor total = losses.front() * solution.weights.front();
  for (std::size_t k = 1; k < losses.size(); ++k) {
    total = total + losses[k] * solution.weights[k];
  }
  optimizer_->zero_grad();
  total.backward();
  bool finite = true;
  for (const auto& group : optimizer_->param_groups()) {
    for (const torch::Tensor& parameter : group.params()) {
      finite = finite && (!parameter.grad().defined() || parameter.grad().isfinite().all().item<bool>());
    }
  }
  if (!guard_.apply(finite ? Verdict::good : Verdict::bad_gradient)) {
    solution.weights.clear();
  }
  return solution;
}

}  // namespace pair::train

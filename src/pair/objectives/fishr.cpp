#include "pair/objectives/fishr.h"

#include <stdexcept>
#include <string>

#include "pair/objectives/losses.h"
#include "pair/objectives/require_option.h"
#include "pair/objectives/state.h"

namespace pair::objectives {
namespace {

// The mean over each environment of left_i (outer) right_i: [n, k], [n, d] -> [environments, k, d].
torch::Tensor mean_products(const torch::Tensor& left, const torch::Tensor& right,
                            const std::vector<std::int64_t>& sizes) {
  if (equal_sizes(sizes)) {
    const auto environments = static_cast<std::int64_t>(sizes.size());
    const std::int64_t samples = sizes.front();
    return torch::bmm(left.reshape({environments, samples, -1}).transpose(1, 2),
                      right.reshape({environments, samples, -1})) /
           samples;
  }
  const std::vector<torch::Tensor> lefts = left.split_with_sizes(sizes);
  const std::vector<torch::Tensor> rights = right.split_with_sizes(sizes);
  std::vector<torch::Tensor> products;
  products.reserve(sizes.size());
  for (std::size_t e = 0; e < sizes.size(); ++e) {
    products.push_back(lefts[e].t().mm(rights[e]) / sizes[e]);
  }
  return torch::stack(products);
}

// The head's gradient variances, [environments, k (d + 1)]: weights, then biases.
torch::Tensor gradient_variances(const HeadView& view) {
  const torch::Tensor slopes = logit_gradient(view.loss, view.logits, view.labels);
  const torch::Tensor squares = slopes.square();
  const torch::Tensor weights = mean_products(squares, view.features.square(), view.sizes) -
                                mean_products(slopes, view.features, view.sizes).square();
  const torch::Tensor biases =
      environment_means(squares, view.sizes) - environment_means(slopes, view.sizes).square();
  return torch::cat({weights.flatten(1), biases}, 1);
}

}  // namespace

Fishr::Fishr(double ema, bool mean) : ema_(ema), mean_(mean) {
  require_option(ema >= 0.0 && ema < 1.0, "fishr_ema", ema, "numbers in [0, 1)");
}

torch::Tensor Fishr::value(const HeadView& view, data::Random& /*random*/) {
  // In units of 1 - gamma: u = gamma u(previous) + v, where v* = (1 - gamma) u.
  torch::Tensor variances = gradient_variances(view);
  if (ema_ > 0.0) {
    if (average_.defined()) {
      match_state("fishr", average_, variances);
      variances = variances + (ema_ / (1.0 - ema_)) * average_;
    }
    update_state(average_, (1.0 - ema_) * variances.detach());
  }
  const torch::Tensor disagreement = variances.var(0, /*unbiased=*/false);
  return mean_ ? disagreement.mean() : disagreement.sum();
}

std::vector<torch::Tensor> Fishr::state() const {
  return saved_state(average_);
}

void Fishr::restore(std::span<const torch::Tensor> state) {
  average_ = restored_state("fishr", state);
}

}  // namespace pair::objectives
